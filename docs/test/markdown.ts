import { Marked, type Token, type Tokens } from 'marked';

/** All tokens of a Markdown text, at every depth. */
export function tokensOf(markdown: string): Tokens.Generic[] {
  const marked = new Marked();
  const tokens: Tokens.Generic[] = [];
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    tokens.push(token);
    return undefined;
  });
  return tokens;
}

/** The cells of the first table of a section, without its heading row and without code marks. */
export function rowsAfter(heading: string, page: string): string[][] {
  const [section = ''] = page.slice(page.indexOf(`\n${heading}\n`) + 1).split(/\n(?=## )/);
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The blocks of shell commands of a page, as somebody copies them. */
export function shellBlocks(page: string): string[] {
  return tokensOf(page).flatMap((token) => (token.lang === 'sh' ? [token.text as string] : []));
}
