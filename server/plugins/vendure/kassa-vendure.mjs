/** Kassa as a payment method of Vendure. README.md says how to install it. */
export { kassaHandler } from './handler.mjs'
export { KassaPlugin } from './plugin.mjs'
