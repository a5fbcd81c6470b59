/** Used by the error class of the contracts where it exists, which is in browsers that are based on Chromium. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
