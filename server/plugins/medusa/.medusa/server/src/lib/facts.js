/**
 * What Kassa has said, for the provider while the plug-in itself changes a payment: then nothing is asked of Kassa. Outside of it a person
 * has pressed a button.
 */
const { AsyncLocalStorage } = require('node:async_hooks')

const said = new AsyncLocalStorage()

exports.withFact = (fact, work) => said.run(fact, work)
exports.factNow = () => said.getStore() ?? null

const WAIT_MS = 60_000

/** @throws Error after a minute. A work that waits for itself would otherwise wait for ever. */
async function waitFor(work) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('Kassa: this payment is still being worked on.')), WAIT_MS)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Runs one work at a time for each payment in this process. What a work itself causes, such as a compensation, does not wait for it. */
const last = new Map()
const inside = new AsyncLocalStorage()
exports.alone = async (paymentId, work) => {
  if (inside.getStore() === paymentId) return work()
  const before = last.get(paymentId)
  let resolve
  const done = new Promise((end) => {
    resolve = end
  })
  last.set(paymentId, done)
  try {
    if (before) await waitFor(before)
    return await inside.run(paymentId, work)
  } finally {
    resolve()
    if (last.get(paymentId) === done) last.delete(paymentId)
  }
}
