/** What the page gets from the service that serves it. */
export interface PageSettings {
  /** Path of the API on the page's own origin, such as `/staging/v1`. */
  readonly basePath: string;
  readonly demoKeys: readonly DemoKey[];
}

export interface DemoKey {
  readonly plan: string;
  readonly key: string;
  /** Such as `60 per minute`. */
  readonly limits: string;
}
