// All visible text, of the page or of an element of it, whose contrast with its background (WCAG 2) is below
// `least`. Disabled elements are exempt, as in WCAG.
(least, root = document.body) => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((value, i) => value * a + ground[i] * (1 - a));
  const groundOf = (element) => {
    if (element === null) return [255, 255, 255];
    const colour = rgba(getComputedStyle(element).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, groundOf(element.parentElement));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (element) => {
    const ground = groundOf(element);
    const ink = over(rgba(getComputedStyle(element).color), ground);
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const [faint, seen] = [[], new Set()];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (text === "" || seen.has(element) || element.closest(".unseen, :disabled, option")) continue;
    if (!element.checkVisibility({ checkVisibilityCSS: true })) continue;
    seen.add(element);
    const ratio = contrast(element);
    if (ratio < least) faint.push(`${text.slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return { faint, nSeen: seen.size };
};
