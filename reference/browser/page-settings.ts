/** What the page knows of where it is shown. */
export interface PageSettings {
  /** Where the API is, with its version: `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  /** Keys to choose from; where there are none, the reader enters a key. */
  readonly demoKeys: readonly DemoKey[];
  /** Tells one run of the service from another, whose orders may have the same ids. */
  readonly runId?: string;
}

export interface DemoKey {
  readonly plan: string;
  readonly key: string;
  readonly perMinute: number;
  readonly perDay: number;
}
