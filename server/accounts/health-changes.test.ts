/** How the health of an account changes when several processes report it, and when it changes all the time. */
import { beforeEach, expect, test } from 'vitest'
import { noteUnopenable } from '../operator/account-check.ts'
import { countAccountHealth, listAccountHealth } from '../storage/accounts/health.ts'
import { openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { openDirectory } from './directory.ts'
import { noteReach, noteUnwell, noteWell } from './health.ts'
import { setAccount } from './set.ts'

let id: string
const kassa = await openKassa({ worker: false })
beforeEach(async () => {
  const { merchantId } = await openShop(kassa.ctx)
  const CUSTOMER = `customer-${merchantId.slice(-8)}`
  const SECRET = kassa.ctx.sandbox.bank.customers.secretOf(CUSTOMER)
  const given = { merchantId, route: 'route_a', driver: 'sandbox', currencies: undefined } as const
  id = (await setAccount(kassa.ctx, { ...given, written: { CUSTOMER, SECRET } })).accountId
  await kassa.ctx.accounts.read()
})

const REFUSED = { state: 'refusing', refusal: 'credentials', reason: 'It does not accept the key.' } as const
const stored = async () => (await listAccountHealth(kassa.ctx.db)).find(({ accountId }) => accountId === id)
/** Another process on the same database, whose memory is of now and stays as it is. */
async function otherProcess() {
  const accounts = openDirectory(kassa.ctx.db, kassa.ctx.vault)
  const then = await accounts.read()
  return { ...kassa.ctx, accounts: { ...accounts, recall: () => then } }
}
const afterwards = async (seconds: number) => {
  kassa.clock.advance(seconds * 1_000)
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
}

test('credentials that cannot be read are stored and counted, and another process that can read them does not hide that', async () => {
  const other = await otherProcess()
  await kassa.ctx.db.query(`update sandbox.account_credentials set sealed = '\\x00' where account_id = $1`, [
    id,
  ])
  await kassa.ctx.db.query('update sandbox.accounts set version = version + 1 where id = $1', [id])
  await afterwards(0)
  await noteUnopenable(kassa.ctx)
  expect(await stored()).toMatchObject({ state: 'unopenable', reason: expect.stringContaining('decrypted') })
  expect(await countAccountHealth(kassa.ctx.db)).toContainEqual({ state: 'unopenable', count: 1 })
  const health = await stored()
  const entry = other.accounts.recall().byId.get(id)
  const able = { ...other, accounts: { ...other.accounts, read: async () => known, recall: () => known } }
  const known = { byId: new Map([[id, { ...entry, health }]]), byOwner: new Map() } as never
  await noteUnopenable(able)
  expect((await stored())?.state).toBe('unopenable')
  kassa.clock.advance(61_000)
  await noteUnopenable(able)
  expect((await stored())?.state).toBe('ok')
})

test('an answer from before a refusal does not end the refusal', async () => {
  await noteUnwell(kassa.ctx, id, { state: 'away', reason: 'The provider does not answer.' })
  const slow = await otherProcess()
  await noteUnwell(kassa.ctx, id, REFUSED)
  await noteReach(slow, id, { unanswered: 0 })
  expect((await stored())?.state).toBe('refusing')
})

test('a process whose breaker stays open reports it again after another process had an answer', async () => {
  const first = await otherProcess()
  await noteReach(first, id, { unanswered: 10 })
  await afterwards(1)
  const late = await otherProcess()
  await noteWell(kassa.ctx, id)
  await noteReach(late, id, { unanswered: 11 })
  expect((await stored())?.state).toBe('away')
})

test('an account that is refused and accepted in turns has been unwell since the first time', async () => {
  await noteUnwell(kassa.ctx, id, REFUSED)
  const begun = (await stored())?.unwellSince
  for (let turn = 0; turn < 5; turn++) {
    await afterwards(30)
    await noteWell(kassa.ctx, id)
    await afterwards(30)
    await noteUnwell(kassa.ctx, id, REFUSED)
  }
  expect(begun).toBeDefined()
  expect((await stored())?.unwellSince).toEqual(begun)
  await afterwards(0)
  await noteWell(kassa.ctx, id)
  await afterwards(3_600)
  await noteUnwell(kassa.ctx, id, REFUSED)
  expect((await stored())?.unwellSince).toEqual((await stored())?.since)
})
