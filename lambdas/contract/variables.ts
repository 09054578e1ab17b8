/** The environment variables that the stack sets and the functions read. Lambda itself sets further variables. */
export type FunctionVariable =
  /** The stage's name, for the metrics. */
  | 'STAGE'
  | 'ORDERS_TABLE'
  | 'API_KEYS_TABLE'
  | 'API_KEY_PREFIX'
  /** All plans with their numbers, as JSON. */
  | 'PLANS'
  /** Absent unless the stage allows an origin. */
  | 'CORS_ORIGIN';
