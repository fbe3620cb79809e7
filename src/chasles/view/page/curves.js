// A curve below the film, with a line at the time shown; a click or drag goes there.

(() => {
  if (!head.curves.length) return;
  $("curves").hidden = false;
  const canvas = $("plot"), pen = canvas.getContext("2d"), margin = { left: 58, right: 10, top: 8, bottom: 20 };
  const curves = head.curves.map(c => ({ ...c, series: c.series.map(s => ({ ...s, values: array(s.key) })) }));
  let chosen = curves[(head.show || {}).curve || 0] || curves[0], size = [1, 1];
  curves.forEach((c, k) => { const option = document.createElement("option"); option.value = k; option.textContent = c.name; option.selected = c === chosen; $("curve").append(option); });

  const finite = c => c.series.flatMap(s => [...s.values]).filter(Number.isFinite);
  function range(c) {
    const values = finite(c).filter(v => !c.log || v > 0), most = Math.max(...values), least = Math.min(...values);
    if (!values.length) return [0, 1];
    if (c.log) {
      const sorted = values.sort((a, b) => a - b), low = Math.log10(Math.max(sorted[Math.floor(sorted.length / 20)], 1e-18));
      return [Math.floor(low), Math.max(Math.floor(low) + 1, Math.ceil(Math.log10(most)))];
    }
    const room = 0.06 * (most - least) || Math.max(1e-12, 0.1 * Math.abs(most));
    return [least - room, most + room];
  }
  const written = (v, step) => Math.abs(v) < step * 1e-9 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(4)));

  window.drawPlot = time => {
    const box = canvas.getBoundingClientRect(), scale = Math.min(2, devicePixelRatio || 1);
    if (size[0] !== box.width || size[1] !== box.height) {
      size = [box.width, box.height]; canvas.width = box.width * scale; canvas.height = box.height * scale;
    }
    const [low, high] = chosen.range || (chosen.range = range(chosen));
    const wide = size[0] - margin.left - margin.right, tall = size[1] - margin.top - margin.bottom;
    const X = t => margin.left + wide * (t - START) / (END - START || 1);
    const Y = v => margin.top + tall * (1 - (v - low) / (high - low));
    pen.setTransform(scale, 0, 0, scale, 0, 0); pen.clearRect(0, 0, ...size);
    pen.font = "11px system-ui, sans-serif"; pen.fillStyle = colourOf("--muted"); pen.strokeStyle = colourOf("--grid"); pen.lineWidth = 1;
    for (let k = 0; k <= 2; k++) {
      const v = low + (high - low) * k / 2;
      pen.beginPath(); pen.moveTo(margin.left, Y(v)); pen.lineTo(size[0] - margin.right, Y(v)); pen.stroke();
      pen.textAlign = "right"; pen.textBaseline = "middle";
      pen.fillText(chosen.log ? "1e" + Math.round(v * 10) / 10 : written(v, high - low), margin.left - 6, Y(v));
    }
    pen.textBaseline = "top"; pen.textAlign = "left"; pen.fillText(written(START, 1) + " s", margin.left, size[1] - 14);
    pen.textAlign = "right"; pen.fillText(written(END, 1) + " s", size[0] - margin.right, size[1] - 14);
    pen.save(); pen.beginPath(); pen.rect(margin.left, 0, wide + 2, size[1] - margin.bottom + 2); pen.clip();
    for (const s of chosen.series) {
      const t = groups[s.group].t; pen.strokeStyle = s.colour; pen.lineWidth = 1.6; pen.beginPath();
      let down = false;
      for (let k = 0; k < t.length; k++) {
        const v = chosen.log ? Math.log10(Math.max(s.values[k], 1e-18)) : s.values[k];
        if (!Number.isFinite(v)) { down = false; continue; }
        if (down) pen.lineTo(X(t[k]), Y(v)); else pen.moveTo(X(t[k]), Y(v));
        down = true;
      }
      pen.stroke();
    }
    pen.restore();
    pen.strokeStyle = colourOf("--ink"); pen.lineWidth = 1; pen.beginPath(); pen.moveTo(X(time), 0); pen.lineTo(X(time), size[1] - margin.bottom); pen.stroke();
  };
  $("curve").addEventListener("change", event => { chosen = curves[event.target.value]; dirty = true; });
  const go = event => {
    const box = canvas.getBoundingClientRect(), share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
    setPlaying(false); setTime(START + (END - START) * share);
  };
  canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); go(event); });
  canvas.addEventListener("pointermove", event => { if (event.buttons) go(event); });
})();
