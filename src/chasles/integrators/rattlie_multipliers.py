def length_of_history(rows, velocities, integrals):
    return 0
