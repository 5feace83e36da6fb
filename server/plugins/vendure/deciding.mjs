/**
 * What Kassa has said, for the handler while the plug-in itself changes a payment. Outside of it the handler is called by a person, or
 * by a buyer who writes metadata, and believes nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const said = new AsyncLocalStorage()

/** `fact`: what `createPayment` shall book. For settling and cancelling an empty fact is enough. */
export const withFact = (fact, work) => said.run(fact, work)
export const factNow = () => said.getStore() ?? null
