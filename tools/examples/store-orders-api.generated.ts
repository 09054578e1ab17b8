// Made from openapi.yaml by npx node tools/examples/generate-types.ts. Do not edit.

export interface paths {
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Returns **all** orders in one JSON array, in no particular order. There is no filtering
         *     and no pagination. A cancelled order stays in the list: the list does not show an order's state.
         *
         *     The array is streamed, and gzipped where `Accept-Encoding` allows it. A response that is
         *     cut off lacks the closing `]`, and so never passes for a shorter list. A client that falls
         *     7 s behind an average of 230 KB/s is cut off.
         */
        get: operations["listOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel an order
         * @description Cancels an order that is still pending. An order that has shipped cannot be reversed. A
         *     cancelled order stays in the list, which does not show an order's state.
         *
         *     Of any number of simultaneous requests for one order exactly one is answered 204, the
         *     others 409 `order_already_cancelled`. A client that retries because an answer was lost
         *     may therefore take that 409 as success.
         */
        delete: operations["cancelOrder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a pet (withdrawn)
         * @deprecated
         * @description Past its sunset date. It answers 410.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An order. A field that an order lacks is left out. */
        Order: {
            /**
             * Format: int64
             * @description Unique order identifier.
             */
            id: bigint;
            /**
             * Format: int64
             * @description Identifier of the animal in this order.
             */
            petId?: bigint;
            /** @description Number of units ordered. */
            quantity?: number;
            /**
             * Format: date-time
             * @description Expected or actual ship date.
             */
            shipDate?: string;
            /** @description Whether the order has been fulfilled. */
            complete?: boolean;
        };
        /** @description The one shape of every error. */
        Error: {
            /** @description Machine-readable error code. Each response lists its own. */
            code: string;
            /** @description Human-readable description of the error. */
            message: string;
            /** @description The HTTP status code. */
            status: number;
        };
    };
    responses: {
        /** @description A body that is declared as JSON does not parse. The operation needs no body. */
        InvalidBody: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "invalid_body";
                    /** @constant */
                    status?: 400;
                };
            };
        };
        /** @description The order id is not a canonical int64, or a body declared as JSON does not parse. */
        InvalidCancelRequest: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "invalid_order_id" | "invalid_body";
                    /** @constant */
                    status?: 400;
                };
            };
        };
        /**
         * @description The key is missing, malformed, unknown, expired, revoked or another stage's: one identical
         *     answer for all of them. The rate-limit headers are `0`.
         */
        Unauthorized: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "unauthorized";
                    /** @constant */
                    status?: 401;
                };
            };
        };
        /**
         * @description No such path or method. It is not checked whether a key is valid, and the rate-limit headers
         *     are `0`.
         */
        NotFound: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description The request is malformed in a way that no operation was reached. */
        BadRequest: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "bad_request";
                    /** @constant */
                    status?: 400;
                };
            };
        };
        /** @description The request was refused before it reached the service, whoever sent it. */
        Forbidden: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "forbidden";
                    /** @constant */
                    status?: 403;
                };
            };
        };
        /**
         * @description There is no such order (`order_not_found`), or the identifier holds something that makes it no
         *     segment of a path (`not_found`).
         */
        OrderNotFound: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "order_not_found" | "not_found";
                    /** @constant */
                    status?: 404;
                };
            };
        };
        /** @description The order is not pending, and stays as it is. */
        OrderNotCancellable: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "order_already_shipped" | "order_already_cancelled" | "order_not_cancellable";
                    /** @constant */
                    status?: 409;
                };
            };
        };
        /** @description The operation is past its sunset date. */
        Gone: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "gone";
                    /** @constant */
                    status?: 410;
                };
            };
        };
        /** @description The body is larger than 6 MB, or than 10 MB where the operation reads none. */
        RequestTooLarge: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "request_too_large";
                    /** @constant */
                    status?: 413;
                };
            };
        };
        /** @description A body of this media type is not accepted. */
        UnsupportedMediaType: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                    /** @constant */
                    status?: 415;
                };
            };
        };
        /**
         * @description The key is over a limit or banned. Wait for `Retry-After` seconds. Nothing was done, and no
         *     quota was consumed.
         */
        TooManyRequests: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "rate_limit_exceeded" | "quota_exceeded" | "api_key_banned";
                    /** @constant */
                    status?: 429;
                };
            };
        };
        /** @description Something unforeseen. Retry with exponential back-off. */
        InternalError: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "internal_error";
                    /** @constant */
                    status?: 500;
                };
            };
        };
        /** @description The service is overloaded for a moment. Wait for `Retry-After` seconds. */
        ServiceUnavailable: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "service_unavailable";
                    /** @constant */
                    status?: 503;
                };
            };
        };
        /** @description The request took too long. A cancellation may have been carried out all the same. */
        Timeout: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {string} */
                    code?: "timeout";
                    /** @constant */
                    status?: 504;
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Requests that the described window allows. `0` without a look at the limits.
         * @example 60
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Requests left in the described window, after this one.
         * @example 59
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When the described window ends, in Unix seconds; for a banned key, when it may be used
         *     again. `0` without a look at the limits.
         * @example 1790000040
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Both windows by name, each with its quota `q` and its length `w` in seconds: a list of
         *     structured fields (RFC 9651), as in the IETF draft `draft-ietf-httpapi-ratelimit-headers`.
         *     `q` is `0` without a look at the limits.
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of both windows, `r`, and in how many seconds each starts anew, `t`; for a
         *     banned key nothing, until it may be used again. `0` without a look at the limits.
         * @example "minute";r=59;t=34, "day";r=999;t=40000
         */
        RateLimit: string;
        /**
         * @description Whole seconds to wait. A client that waits that long is served.
         * @example 27
         */
        "Retry-After": number;
        /** @description The scheme to authenticate with (RFC 6750). */
        "WWW-Authenticate": "Bearer realm=\"store-orders\"";
        /** @description The response depends on the request's `Accept-Encoding`. */
        Vary: "Accept-Encoding";
        /** @description Present where the body is compressed. */
        "Content-Encoding": "gzip";
        /**
         * @description Since when the operation is deprecated (RFC 9745).
         * @example @1777593600
         */
        Deprecation: string;
        /**
         * @description Since when the operation is no longer served (RFC 8594).
         * @example Sun, 01 Nov 2026 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The operation that a client may use instead, if any (RFC 8288).
         * @example <../store/orders>; rel="successor-version"
         */
        Link: string;
        /**
         * @description The request's id. Quote it when you report a problem.
         * @example 2f1c6a0e-6c3b-4d8e-9f55-0a4c7d1b9e21
         */
        "x-amzn-RequestId": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every order placed in the store. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Vary: components["headers"]["Vary"];
                    "Content-Encoding": components["headers"]["Content-Encoding"];
                    "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"][];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The order's identifier in canonical decimal form: `0`, or an optional `-` and digits
                 *     without a leading zero.
                 * @example 1001
                 */
                orderId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order is cancelled. No body. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "x-amzn-RequestId": components["headers"]["x-amzn-RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidCancelRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["OrderNotFound"];
            409: components["responses"]["OrderNotCancellable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Ignored.
                 * @example 7
                 */
                petId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            401: components["responses"]["Unauthorized"];
            410: components["responses"]["Gone"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
}
