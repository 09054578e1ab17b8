import { type Allowance, allowanceOf } from './allowance.ts';
import { previewList } from './list-preview.ts';
import { indentJson } from './shown-order.ts';

const shownOrders = 100;

interface SwaggerRequest {
  userFetch?: typeof fetch;
}

interface ResponseBody {
  readonly content: unknown;
  readonly contentType: string;
}

interface SwaggerSystem {
  readonly React: { createElement(component: unknown, props: ResponseBody): unknown };
}

interface SwaggerUi {
  preauthorizeApiKey(scheme: string, key: string): void;
}

/** As the contract lists one. */
interface Server {
  readonly url: string;
  readonly description: string;
}

declare const SwaggerUIBundle: ((options: Record<string, unknown>) => SwaggerUi) & {
  readonly presets: { readonly apis: unknown };
};

/** The whole contract, rendered; its requests use the picked key as well. */
export class Reference {
  readonly #onAllowance: (allowance: Allowance) => void;
  readonly #ui: Promise<SwaggerUi>;

  /** @param server where its requests go, instead of the contract's own servers */
  constructor(document: object, server: Server, onAllowance: (a: Allowance) => void) {
    this.#onAllowance = onAllowance;
    this.#ui = new Promise((resolve) => {
      const ui = SwaggerUIBundle({
        spec: { ...document, servers: [server] },
        domNode: window.document.getElementById('reference'),
        presets: [SwaggerUIBundle.presets.apis],
        plugins: [{ wrapComponents: { responseBody: withExactNumbers } }],
        tryItOutEnabled: true,
        displayRequestDuration: true,
        // The validator is a web service of others.
        validatorUrl: null,
        requestInterceptor: (request: SwaggerRequest) => {
          request.userFetch = (url, init) => this.#fetch(url, init);
          return request;
        },
        onComplete: () => resolve(ui),
      });
    });
  }

  async use(key: string): Promise<void> {
    (await this.#ui).preauthorizeApiKey('apiKey', key);
  }

  /** Shows of a list only its beginning: the renderer would colour every character of it. */
  async #fetch(...args: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...args);
    const allowance = allowanceOf(response.headers);
    if (allowance !== undefined) this.#onAllowance(allowance);
    if (response.status !== 200 || response.body === null) return response;
    const { first, orders } = await previewList(response.body, { kept: shownOrders });
    const { status, headers } = response;
    const statusText = orders > first.length ? `first ${first.length} of ${orders} orders` : 'OK';
    return new Response(`[${first.join(',')}]`, { status, statusText, headers });
  }
}

/** The renderer's own indentation rounds ids beyond 2^53; text that is not JSON it leaves alone. */
function withExactNumbers(Original: unknown, { React }: SwaggerSystem) {
  return (props: ResponseBody) => {
    if (typeof props.content !== 'string') return React.createElement(Original, props);
    const exact = { content: indentJson(props.content), contentType: 'text/plain' };
    return React.createElement(Original, { ...props, ...exact });
  };
}
