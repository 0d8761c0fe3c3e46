/** The pictures of records: large beside a question, small in lists. */

import { button, make } from "./dom.js";

/** The small pictures of a record, as decoration beside its name: a list, maybe empty. */
export function thumbnails({ images }, most = 3) {
  return images
    .slice(0, most)
    .map((key) => make("img", { class: "thumb", src: `thumbnail/${key}`, alt: "", loading: "lazy" }));
}

/** All pictures of a record side by side. */
export function pictures({ id, images }, called = id) {
  const shown = images.map((key, n) => {
    const number = images.length > 1 ? ` ${n + 1} of ${images.length}` : "";
    return make("img", { src: `image/${key}`, alt: `Image${number} of ${called}` });
  });
  return make("span", { class: "shots", "data-several": String(images.length > 1) }, ...shown);
}

/** The pictures of a record as a button that opens it; a note if it has none. */
export function pictureButton(record, called, onClick) {
  if (record.images.length === 0) return make("p", { class: "aside" }, "No image");
  return button(pictures(record, called), onClick, { title: "Open the whole record" });
}
