/** What an operator reads after a restore: the line of the start, and `restore show` and `restore end` as text. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { referenceOf } from '../id.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { createPreparedDatabase, type TestDatabase } from '../testing/database.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, startKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { type FaultProxy, startFaultProxy } from '../testing/providers/fault-proxy.ts'
import { type StripeScene, setStripeScene, stripeSettings } from '../testing/providers/stripe-scene.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'

const LONG_MS = 30_000

let scene: StripeScene
let proxy: FaultProxy
let kassa: Kassa
let shop: Shop
let empty: TestDatabase
let folder: string
let settings: Record<string, string>
beforeAll(async () => {
  scene = await setStripeScene()
  proxy = await startFaultProxy(scene.server.origin)
  settings = { ...stripeSettings('ROUTE_A', proxy.url), SECRETS_KEY }
  kassa = await startKassa({ settings, worker: true })
  shop = await openShop(kassa.ctx)
  empty = await createPreparedDatabase(inject('postgresUrl'))
  folder = await mkdtemp(join(tmpdir(), 'kassa-restored-'))
})
afterAll(async () => {
  await kassa.close()
  await proxy.close()
  await scene.close()
  await empty.drop()
  await rm(folder, { recursive: true })
})

async function open(order: string): Promise<{ id: string; pay(): Promise<void> }> {
  const body = sessionRequest({ merchantOrderId: order, amountMinor: 150_000 })
  const { body: session } = await createSession(kassa.url, shop, { key: order, body })
  const status = async () => (await lookUp(kassa.url, shop, session.id)).body.status
  return {
    id: session.id,
    async pay() {
      scene.buyer({ url: session.providerCheckoutUrl }, 'visa')
      await expect.poll(status, { timeout: LONG_MS }).toBe('paid')
    },
  }
}

async function refund(id: string, amountMinor: number): Promise<void> {
  await askOperation(kassa.url, shop, id, 'refunds', { key: 'refund', body: { amountMinor, reason: 'late' } })
  const refunded = async () => (await lookUp(kassa.url, shop, id)).body.refundedMinor
  await expect.poll(refunded, { timeout: LONG_MS }).toBe(amountMinor)
}

/** The provider sends all its callbacks to the service at this address. */
async function callBack(url: string, accountId: string): Promise<void> {
  await scene.later(0)
  for (const { headers, body } of scene.webhooks())
    await fetch(`${url}/callbacks/${accountId}`, {
      method: 'POST',
      headers: headers as HeadersInit,
      body: body.toString(),
    })
}

/** The columns of a table are apart by two blanks or more. */
const cellsOf = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/))

test('the start, restore show and restore end say what waits, what was found, and which command is next', async () => {
  const here = { ...settings, DATABASE_URL: kassa.databaseUrl }
  const there = { ...settings, DATABASE_URL: empty.url }
  const show = async (settings = there) => (await operate(settings, ['restore', 'show'])).stdout
  const end = (why: string) => operate(there, ['restore', 'end', '--why', why])
  const { rows } = await kassa.ctx.db.query("select id from sandbox.accounts where route = 'route_a'")
  const accountId = rows[0].id
  const [paid, waiting] = [await open('paid'), await open('waiting')]
  await paid.pay()
  expect(await show(here)).toBe('No backup was restored into this database.\n')
  const directory = join(folder, 'backup')
  expect(await operate(here, ['backup', 'create', '--to', directory])).toMatchObject({ code: 0 })
  await refund(paid.id, 40_000)
  await waiting.pay()
  const lost = await open('lost')
  await lost.pay()
  expect(await operate(there, ['backup', 'restore', '--from', directory])).toMatchObject({ code: 0 })
  expect(await operate(there, ['restore', 'confirm', '--all'])).toMatchObject({ code: 0 })

  await proxy.setAway(true)
  let service: ServedHere = await serveHere(there)
  const line =
    /\n {2}RESTORED +In the sandbox world refunds, .* wait, because a backup of \S+Z was\n.*: (.*)\n/
  const printed = line.exec(service.output())?.[1]
  expect(printed).toBe('npm run -s admin -- restore show --sandbox')
  const countUnreachable = async () => (await show()).split('the provider could not be reached').length - 1
  await expect.poll(countUnreachable, { timeout: LONG_MS }).toBe(2)
  const state = await show()
  expect(state).toMatch(
    /^ {2}State +open: refunds, captures, voids and renewals wait, and new payments go on$/m,
  )
  expect(state).toMatch(/^ {2}Still to ask +2, and 0 older ones/m)
  expect(cellsOf(state)).toContainEqual(['USD', '2', '1 500.00 USD', '1 500.00 USD', '0.00 USD', '0.00 USD'])
  for (const { id } of [paid, waiting])
    expect(cellsOf(state)).toContainEqual([id, accountId, 'the provider could not be reached (asked again)'])
  expect(state).toContain('npm run -s admin -- restore end --why REASON')

  expect(await end('  ')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^--why is empty\./) })
  const why = 'compared with the statement of 31 January'
  expect(await end(why)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Refunds, .* go on\. The providers are still asked about the rest\.\n/),
  })
  expect(await end(why)).toMatchObject({ code: 1, stderr: 'No restore is open here, so nothing waits.\n' })
  const ended = await show()
  expect(ended).toMatch(new RegExp(`^ {2}State +ended at .* UTC by tester: ${why}$`, 'm'))
  expect(ended).not.toContain('restore end')
  await service.stop()

  await proxy.setAway(false)
  service = await serveHere(there)
  try {
    expect(service.output()).not.toContain('RESTORED')
    const left = async () => /Still to ask +(\d+)/.exec(await show())?.[1]
    await expect.poll(left, { timeout: LONG_MS }).toBe('0')
    await callBack(service.url, accountId)
    const report = cellsOf(await show())
    expect(report).toContainEqual(['USD', '2', '1 500.00 USD', '3 000.00 USD', '0.00 USD', '400.00 USD'])
    expect(report).toContainEqual(['2 payments that the backup did not know as they are:'])
    expect(report).toContainEqual([
      paid.id,
      'paid',
      'partially_refunded',
      '1 500.00 USD',
      '0.00 USD > 400.00 USD',
    ])
    expect(report).toContainEqual([
      waiting.id,
      'pending_redirect',
      'paid',
      '0.00 USD > 1 500.00 USD',
      '0.00 USD',
    ])
    expect(report).toContainEqual([
      referenceOf(lost.id),
      accountId,
      'callback',
      expect.stringMatching(/^\d+$/),
      'paid, captured 1 500.00 USD, refunded 0.00 USD',
    ])
  } finally {
    await service.stop()
  }
})
