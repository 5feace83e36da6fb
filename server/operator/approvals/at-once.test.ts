/**
 * What falls needs no second person, and what rises does. Two changes at once, each of which lowers what it has seen, never become a
 * raise: the second one is refused, or waits for a second person.
 */
import { expect, test } from 'vitest'
import { addUser, changeUser } from '../../access/users.ts'
import { rotateAccount, setAccount } from '../../accounts/set.ts'
import { getToken, issueToken } from '../../merchants/api-key.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { findUser } from '../../storage/access/users.ts'
import { listLimits, storeLimit } from '../../storage/audit/proposals.ts'
import { openScene } from '../../testing/scene.ts'
import { doOrPropose, doOrProposeWeighed } from './approvals.ts'
import type { ArgsOf, GuardedName } from './guarded.ts'
import { weigh } from './weigh.ts'

const HIGH = 50_000
const MIDDLE = 30_000
const LOW = 100
/** Enough that a race without the lock shows in some of them. */
const TRIES = 25

let people = 0
const { kassa, shop } = await openScene({
  settings: { ROUTE_E_DRIVER: 'sandbox', ROUTE_E_SHARED: 'false' },
})
const { merchantId } = shop
const person = async (name: string) =>
  (await addUser(kassa.ctx, { name, role: 'administrator', email: `${name}@pay.example` })).operator
const ani = await person('Ani')
const gor = await person('Gor')
const store = (minor: number) => storeLimit(kassa.ctx.db, 'USD', minor)
await store(HIGH)

/** Returns how many of two people were not refused, and did it without anybody else. */
async function doneAtOnce<Name extends GuardedName>(
  name: Name,
  one: ArgsOf<Name>,
  other: ArgsOf<Name>,
): Promise<number> {
  const both = await Promise.allSettled([
    doOrPropose(kassa.ctx, ani, name, one),
    doOrPropose(kassa.ctx, gor, name, other),
  ])
  const refusals = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ code: 'validation_failed', details: { reason: 'changed_meanwhile' } })
  return both.filter((each) => each.status === 'fulfilled' && 'done' in each.value).length
}

test('the limits of a token', async () => {
  for (let at = 0; at < TRIES; at++) {
    const doer = { id: ani.id, isApproved: true }
    const refundLimits = { USD: HIGH }
    const { tokenId } = await issueToken(kassa.ctx, { merchantId, refundLimits, doer })
    const lower = { tokenId, refundLimits: { USD: LOW } }
    const done = await doneAtOnce('token set', lower, { tokenId, refundLimits: { USD: MIDDLE } })
    const token = await getToken(kassa.ctx, tokenId)
    expect(token.issuedBy).toBe(ani.id)
    if (done === 2) expect(token.refundLimits).toEqual({ USD: LOW })
  }
})

test('the limit above which a second person is needed', async () => {
  for (let at = 0; at < TRIES; at++) {
    await store(HIGH)
    const lower = { currency: 'USD' as const, limitMinor: LOW }
    const done = await doneAtOnce('approval limit', lower, { currency: 'USD', limitMinor: MIDDLE })
    const limit = (await listLimits(kassa.ctx.db)).find(({ currency }) => currency === 'USD')
    if (done === 2) expect(limit?.limitMinor).toBe(LOW)
  }
  await store(HIGH)
})

test('a first limit that somebody sets meanwhile is not raised by whoever saw none', async () => {
  await storeLimit(kassa.ctx.db, 'USD', null)
  const args = { currency: 'USD' as const, limitMinor: HIGH }
  const weighed = await weigh(kassa.ctx, ani, 'approval limit', args)
  await store(LOW)
  await expect(
    doOrProposeWeighed(kassa.ctx, ani, { name: 'approval limit', args, weighed }),
  ).rejects.toMatchObject({ details: { reason: 'changed_meanwhile' } })
  expect(await listLimits(kassa.ctx.db)).toMatchObject([{ currency: 'USD', limitMinor: LOW }])
  await store(HIGH)
})

const addSeller = async () => {
  const email = `seller${++people}@shop.example`
  const values = { email, merchantId, refundLimits: { USD: HIGH } }
  return (await addUser(kassa.ctx, { name: `Seller ${people}`, role: 'shop', ...values })).operator.id
}

test('the limits of a person, also beside a change of something else', async () => {
  for (let at = 0; at < TRIES; at++) {
    const user = await addSeller()
    const lower = { user, refundLimits: { USD: LOW } }
    const done = await doneAtOnce('user set', lower, { user, refundLimits: { USD: MIDDLE } })
    const after = await findUser(kassa.ctx.db, user)
    if (done === 2) expect(after?.refundLimits).toEqual({ USD: LOW })
  }
})

test('a person who changes while somebody changes another value keeps both changes', async () => {
  for (let at = 0; at < TRIES; at++) {
    const id = await addSeller()
    const email = `new${people}@shop.example`
    await Promise.all([
      changeUser(kassa.ctx, id, { refundLimits: { USD: LOW } }),
      changeUser(kassa.ctx, id, { email }),
    ])
    expect(await findUser(kassa.ctx.db, id)).toMatchObject({ email, refundLimits: { USD: LOW } })
  }
})

test('an account that changes between the look at it and its new secret', async () => {
  const wanted = { merchantId, route: 'route_b' as const, driver: 'sandbox', currencies: undefined }
  const written = { CUSTOMER: 'shop-7', SECRET: 'first' }
  const { accountId } = await setAccount(kassa.ctx, { ...wanted, written })
  let seen = 0
  // While the provider is asked about the secret, somebody else changes the account.
  const confirm = () => rotateAccount(kassa.ctx, accountId, { SECRET: 'second' })
  await rotateAccount(
    kassa.ctx,
    accountId,
    { SECRET: 'third' },
    async () => {},
    ({ version }) => {
      seen = version
    },
  )
  seen += 1
  const late = rotateAccount(kassa.ctx, accountId, { SECRET: 'fourth' }, confirm, ({ version }) =>
    expectSeen({ version }, versionOf({ version: seen })),
  )
  await expect(late).rejects.toMatchObject({ details: { reason: 'changed_meanwhile' } })
})
