import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Guide, root } from './guide.ts';
import { html, type Markup } from './html.ts';

/** What the page shows of a running service. */
export interface PageOptions {
  /** Such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  /** The keys that the console suggests, of which it begins with the first. */
  readonly demoKeys: readonly { readonly title: string; readonly key: string }[];
  /** Of an order that exists; undefined in an empty store. */
  readonly orderId: () => Promise<string | undefined>;
}

/** Renders the page: the operations, a console that lists and cancels orders, and the rest of the guide. */
export async function pageDocument(
  { beginning, content, headings }: Guide,
  options: PageOptions,
): Promise<string> {
  const { info } = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  const sections = headings.filter(({ depth }) => depth <= 2);
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`);
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="simple.css">
<link rel="stylesheet" href="page.css">
<script src="page.js" type="module"></script>
</head>
<body>
<header>
<h1>${info.title} <small>${info.version}</small></h1>
<p>${info.summary}</p>
<p>Base address: <code>${options.baseUrl}</code></p>
<p>Contract: <a href="openapi.yaml">openapi.yaml</a></p>
</header>
<nav aria-label="Sections">
<ul>
${links.slice(0, 2)}<li><a href="#tryIt">Try it</a></li>
${links.slice(2)}</ul>
</nav>
<main>
${beginning}
<h3 id="tryIt">Try it</h3>
<noscript><p>The console needs JavaScript. The rest of this page does not.</p></noscript>
${consoleView(options, await options.orderId())}
${content}
</main>
</body>
</html>
`;
  return String(document);
}

function consoleView({ baseUrl, demoKeys }: PageOptions, orderId: string | undefined): Markup {
  const suggestions = demoKeys.map(
    ({ title, key }) => html`<button type="button" data-key="${key}">${title}</button>\n`,
  );
  const demo = suggestions.length > 0 ? html`<p>Demo keys: ${suggestions}</p>\n` : undefined;
  // The ids have capital letters, which the anchors of the guide's headings never have.
  return html`<article id="orderConsole" data-base-url="${baseUrl}">
<label for="apiKey">API key</label>
<input id="apiKey" value="${demoKeys[0]?.key}" autocomplete="off" spellcheck="false">
${demo}<button type="button" id="listOrders">List orders</button>
<button type="button" id="stopList" hidden>Stop</button>
<span id="listProgress"></span>
<form id="cancelForm">
<label for="orderId">Order id</label>
<input id="orderId" value="${orderId}" required inputmode="numeric" autocomplete="off" size="20">
<button>Cancel order</button>
</form>
<div id="lastAnswer" role="status"></div>
<div id="requestsLeft"></div>
<figure id="firstOrders" tabindex="0" aria-label="Orders" hidden>
<table>
<thead><tr id="orderColumns"></tr></thead>
<tbody id="orderRows"></tbody>
</table>
</figure>
<p id="moreOrders" hidden></p>
</article>`;
}
