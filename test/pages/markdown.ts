/** A fenced block of code, without its indentation. */
interface CodeBlock {
  /** The language, such as `sh`, or an empty text. */
  readonly lang: string;
  readonly text: string;
}

const fenced = /^( *)```(\w*)\n([\s\S]*?)\n\1```$/gm;

/** The blocks of code of a page, in their order. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(fenced)].map(([, indentation = '', lang = '', text = '']) => ({
    lang,
    text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  }));
}

/** The blocks of shell commands of a page, as somebody copies them. */
export function shellBlocks(page: string): string[] {
  return codeBlocks(page).flatMap(({ lang, text }) => (lang === 'sh' ? [text] : []));
}

/** A page without its blocks of code. */
function proseOf(page: string): string {
  return page.replaceAll(fenced, '');
}

/** The addresses of a page's links and images. */
export function linksOf(page: string): string[] {
  const text = proseOf(page).replaceAll(/`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^\s)]+)\)/g)].map(([, address]) => address!);
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsOf(page: string): string[] {
  const names = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)|[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
  return names.map((name, index) => {
    const count = names.slice(0, index).filter((previous) => previous === name).length;
    return count === 0 ? name : `${name}-${count}`;
  });
}
