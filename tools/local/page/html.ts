/** Text that is markup. All other texts are escaped before they are inserted into a page. */
export class Markup extends String {}

type Part = Markup | string | number | undefined | readonly Part[];

/** A template tag for markup: it escapes texts, joins lists and leaves out undefined values. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return String(part);
  if (Array.isArray(part)) return part.map(render).join('');
  return String(part).replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
