/** The compiler's API in TypeScript. Tools that generate code need it, and TypeScript 7 does not have it. */
export { ts as default } from '@ts-morph/common'
