/** Makes the parts of a drawing. Their looks are the style's affair: the page's policy lets nothing be styled inline. */

const SVG = 'http://www.w3.org/2000/svg';

export type Attributes = Readonly<Record<string, string | number>>;

export function part(name: string, attributes: Attributes, ...inside: readonly (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** Set through the object, which the policy allows: an attribute of that name it would refuse. */
export function inHue<E extends HTMLElement | SVGElement>(element: E, hue: number): E {
  element.style.setProperty('--by', String(hue));
  return element;
}
