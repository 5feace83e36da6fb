/** An object of the other mode is never used. Neither a payment nor a refund changes by it, and a person is warned. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { startKassa } from '../../testing/harness.ts'
import { operateHere } from '../../testing/operator.ts'
import { setBankScene } from '../../testing/providers/bank-scene.ts'

/** The mode that the bank states in its objects. */
let mode = 'test'
let bankUrl = ''
const requests: string[] = []

/** A proxy before the bank that changes the mode of every object. */
const proxy = createServer(async (request, response) => {
  const { method = 'GET', url = '/', headers } = request
  requests.push(`${method} ${url.split('/').at(-1)}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const sent = Object.entries(headers).filter(([name]) =>
    ['authorization', 'content-type', 'idempotency-key'].includes(name),
  ) as [string, string][]
  const answer = await fetch(bankUrl + url, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(body.length > 0 && { body }),
  })
  const text = (await answer.text()).replace('"mode":"test"', `"mode":"${mode}"`)
  const location = answer.headers.get('location')
  response.writeHead(answer.status, { 'content-type': 'application/json', ...(location && { location }) })
  response.end(text)
}).listen(0, '127.0.0.1')
await once(proxy, 'listening')
const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

const kassa = await startKassa({
  settings: { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_ADDRESS: `${proxyUrl}/sandbox/bank` },
})
bankUrl = kassa.url
const { pay, later, refund, status, operations, changes } = await setBankScene(kassa)
const counted = vi.spyOn(kassa.ctx.metrics, 'wrongMode')
const operator = (...args: string[]) => operateHere(async () => kassa.ctx, args)
afterAll(async () => {
  await kassa.close()
  proxy.closeAllConnections()
  proxy.close()
})

const WARNING = 'the provider answered this test account with an object of live mode'

test('an object of the other mode does not make a payment paid, and the operator sees a warning', async () => {
  mode = 'live'
  const id = await pay()
  const before = (await changes(id)).length
  requests.length = 0
  await later(12_000)
  await later(30_000)
  expect(requests.length).toBeGreaterThan(0)
  expect(await status(id)).toBe('pending_redirect')
  expect((await changes(id)).length).toBe(before)
  expect(counted).toHaveBeenCalled()
  const shown = (await operator('payment', 'show', '--payment', id)).stdout
  // The history has the warning once, however often the provider was asked. The first lines say why the payment is not paid.
  const history = shown.split('\n').filter((line) => line.includes(WARNING) && !line.startsWith('Why'))
  expect(history).toEqual([expect.stringMatching(/!.*provider/)])
  const listed = (await operator('payment', 'list', '--warned')).stdout
  expect([listed.includes(id), listed.includes('1 payment')]).toEqual([true, true])
  // The same order is paid as soon as the bank states the account's own mode.
  mode = 'test'
  for (const ms of [60_000, 120_000, 300_000]) await later(ms)
  expect(await status(id)).toBe('paid')
})

test('an object of the other mode does not make a refund succeed', async () => {
  const id = await pay()
  for (const ms of [12_000, 30_000]) await later(ms)
  expect(await status(id)).toBe('paid')
  mode = 'live'
  await refund(id, 500)
  await later(2_000)
  expect(await status(id)).toBe('paid')
  expect(await operations(id)).not.toContainEqual(expect.objectContaining({ status: 'succeeded' }))
  mode = 'test'
  for (const ms of [60_000, 120_000, 300_000]) await later(ms)
  expect(await status(id)).toBe('partially_refunded')
})
