/** Strangers cause questions that the provider never answers. Requests that move money, and new orders, still go out at once. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { GATE_CLASSES } from '../../providers/http/slots.ts'
import { askOperation, createSession, lookUp, readPage, sessionRequest } from '../../testing/calls.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { countingBankDriver, startCountingBank } from '../../testing/providers/counting-bank.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const STRANGERS = 30

test('30 questions of strangers hang, and a refund and a creation go out at once', async () => {
  const bank = await startCountingBank()
  const silent = await startSilent()
  const kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  let isSilent = false
  const paid = new Set<string>()
  const driver = countingBankDriver(bank.url, () => {})
  kassa.ctx.routes.route_a.driver = {
    ...driver,
    startCheckout: driver.startCheckout as NonNullable<typeof driver.startCheckout>,
    composeCheckout: undefined as never,
    addresses: () => [bank.url, silent.url],
    async lookUp(call, order) {
      if (isSilent && !paid.has(order.reference))
        await call.http.request({ method: 'GET', url: `${silent.url}/${order.reference}` })
      const found = await driver.lookUp?.(call, order)
      if (found?.kind !== 'found') return found ?? { kind: 'not_found' }
      const { amountMinor } = found.snapshot
      const taken = paid.has(order.reference) ? amountMinor : 0
      const money = { authorizedMinor: taken, capturedMinor: taken }
      return { ...found, snapshot: { ...found.snapshot, ...money, order: taken ? 'completed' : 'waiting' } }
    },
  }
  let number = 0
  const open = async () => {
    const key = `flood-${number++}`
    const { status, body } = await createSession(kassa.url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key }),
    })
    return { status, id: String(body.id) }
  }
  try {
    const first = await open()
    for (const reference of bank.orders.keys()) paid.add(reference)
    expect((await lookUp(kassa.url, shop, first.id)).body).toMatchObject({ status: 'paid' })
    const ids: string[] = []
    for (let times = 0; times < STRANGERS; times++) ids.push((await open()).id)

    isSilent = true
    const visits = Promise.allSettled(ids.map((id) => readPage(`${kassa.url}/checkout/${id}`)))
    // They use all that they may use, and the others wait in the queue.
    await expect.poll(() => silent.questions()).toBeGreaterThan(GATE_CLASSES.stranger.free)

    const request = { key: 'refund', body: { amountMinor: 500, reason: 'r' } }
    await askOperation(kassa.url, shop, first.id, 'refunds', request)
    const [created] = await Promise.all([open(), SWEEPS.moneyOperations(kassa.ctx)])
    expect(created.status).toBe(201)
    expect(bank.refunds).toHaveLength(1)
    expect((await lookUp(kassa.url, shop, first.id)).body).toMatchObject({ refundedMinor: 500 })
    expect(silent.underWay()).toBeGreaterThan(GATE_CLASSES.stranger.free)
    silent.end()
    await visits
  } finally {
    silent.end()
    await kassa.close()
    await bank.close()
  }
})

/** A server that takes requests and never answers. */
async function startSilent() {
  let underWay = 0
  let questions = 0
  const server = createServer((_request, response) => {
    questions++
    underWay++
    response.once('close', () => underWay--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    questions: () => questions,
    underWay: () => underWay,
    end() {
      server.closeAllConnections()
      server.close()
    },
  }
}
