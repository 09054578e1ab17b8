/** The settings that the server passes to the page. */
export interface PageSettings {
  /** The URL of the API with its version, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  /** The demo keys to choose from. Without any, the reader enters a key. */
  readonly demoKeys: readonly DemoKey[];
  /** Identifies the run of the service, because orders of another run can have the same ids. */
  readonly runId?: string;
}

export interface DemoKey {
  readonly plan: string;
  readonly key: string;
  readonly perMinute: number;
  readonly perDay: number;
}
