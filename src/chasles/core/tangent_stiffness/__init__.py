r"""How forces give way within a step, and the equations of motion in which they do.

A coordinate's effort answers a small displacement and a small velocity with
$-(k\,\delta q + c\,\delta\dot q)$.  A force between bodies a and b, and all forces between these
two, see in the axes of b at its centre of mass the displacement $w = V_b - X V_a$ of b against a
(X carries a twist of a to b), and answer with

$$ \delta F_b = -(K w + D\dot w), \qquad \delta F_a = -X^T \delta F_b, $$

K and D being differences of their wrenches when b alone is displaced or moved a little: any kind of
force, a user's as well.  In the matrix that is factored they are made symmetric, and what is
negative in them (a spring that is compressed gives way sideways) is cut off, so that
$S = \gamma h D + (\gamma h)^2 K$ is positive; what is left of them is iterated for.  The equations

$$ \begin{pmatrix} M + S & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} = \begin{pmatrix} r \\ 0 \end{pmatrix} $$

are those of the one elimination: S of a coordinate is one more armature, S against the ground one
more inertia of the body, and $S = \sum l\,l^T$ between two bodies a compliant row for every l,
$l\cdot w - \lambda = 0$.  Bodies stand still and weigh nothing in these equations: what velocities
and gravity do is in the accelerations that they correct.
"""
