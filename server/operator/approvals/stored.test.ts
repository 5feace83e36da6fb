/** Proposals exactly as version 0.3.0 has stored them are granted. What does not fit is refused, shown to its proposer, and moves nothing. */
import { beforeAll, expect, test } from 'vitest'
import { newStart } from '../../access/secret.ts'
import { addUser, type Changed, getPerson } from '../../access/users.ts'
import type { Person } from '../../audit/people.ts'
import { newSharedId } from '../../id.ts'
import { getToken, issueToken, listTokens } from '../../merchants/api-key.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { versionOf } from '../../merchants/version.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { listAccounts } from '../../storage/accounts/accounts.ts'
import { insertProposal, listLimits, storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openAs, startDesk, withPasskey } from '../../testing/console.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { actOnMoney } from '../acts/money.ts'
import { getApproval } from './approval.ts'
import { seenOf } from './bank-account.ts'
import { GUARDED } from './guarded.ts'
import { listApprovals } from './listing.ts'

const DAY_MS = 24 * 3_600_000
const { kassa, shop } = await openScene()
let [ani, gor] = [{}, {}] as [Person, Person]
let count = 0
beforeAll(async () => {
  ani = (await addUser(kassa.ctx, { name: 'Ani', role: 'administrator', email: 'ani@pay.example' })).operator
  gor = (await addUser(kassa.ctx, { name: 'Gor', role: 'administrator', email: 'gor@pay.example' })).operator
  await inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', 100))
})

/** A row with the columns that version 0.3.0 knows, and these values as it sealed them. */
async function stored(what: string, args: object): Promise<string> {
  const now = new Date()
  const id = newSharedId('apr', now)
  const sealed = kassa.ctx.vault.seal(JSON.stringify(args), [kassa.ctx.world, id, 'proposal'])
  const times = { proposedAt: now, expiresAt: new Date(now.getTime() + DAY_MS) }
  const merchantId = 'merchantId' in args || 'paymentId' in args ? shop.merchantId : null
  const record = {
    id,
    what,
    about: `${what} of 0.3.0`,
    merchantId,
    proposedBy: ani.id ?? '',
    ...times,
    ...sealed,
  }
  await inTransaction(kassa.ctx.db, (tx) =>
    insertProposal(tx, { ...record, amountMinor: null, currency: null }),
  )
  return id
}
const grant = (id: string) => grantAs(kassa.ctx, gor, id)
const stateOf = async (id: string) => (await getApproval(kassa.ctx, id)).proposal.state

async function pay(provider = 'route_a', outcome: string | null = 'paid') {
  const key = `stored-${++count}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 5_000, provider })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  if (provider !== 'manual' && outcome) await payAtBank(session.providerCheckoutUrl, outcome)
  if (provider === 'manual' && outcome)
    await confirmPayment(kassa.ctx, session.id, { actor: 'Ani', reference: `IN${count}` })
  return found(session.id)
}
async function found(id: string) {
  const payment = await findPaymentById(kassa.ctx.db, id)
  if (!payment) throw new Error('There is no such payment.')
  return payment
}
const statusOf = async (id: string) => (await found(id)).status
const person = async (role: 'operator' | 'viewer' = 'operator'): Promise<Changed> =>
  addUser(kassa.ctx, { name: `Person ${++count}`, role, email: `p${count}@pay.example` })
/** What bound a proposal to a person in version 0.3.0. */
async function seenBefore(id: string): Promise<string> {
  const { operator, user } = await getPerson(kassa.ctx, id)
  const { refundLimitsDay: _, ...known } = user ?? {}
  return versionOf({ operator, user: known })
}
const starts = () => ({ link: newStart(), key: newStart() })
const own = async (id: string) => (await listAccounts(kassa.ctx.db)).find((each) => each.id === id)
const accountOf = async (recipient: string) =>
  (await listAccounts(kassa.ctx.db)).find(({ settings }) => settings.RECIPIENT === recipient)
const setOf = (recipient: string) => ({
  wanted: {
    merchantId: shop.merchantId,
    route: 'manual',
    driver: 'manual',
    currencies: ['EUR'],
    written: { RECIPIENT: recipient, BANK: 'A bank', ACCOUNT: `98765${++count}` },
  },
  unchecked: false,
})

/** Stores the proposal. Returns its values, and whether it was done. */
type Example = () => Promise<{ args: object; isDone: () => Promise<unknown>; done: unknown }>
const EXAMPLES: Record<string, Example> = {
  async 'payment confirm'() {
    const { id, version } = await pay('manual', null)
    return { args: { version, paymentId: id, reference: 'RF-1' }, isDone: () => statusOf(id), done: 'paid' }
  },
  async 'payment resolve'() {
    const { id, version } = await pay('manual', null)
    const args = { version, paymentId: id, as: 'cancelled', why: null }
    return { args, isDone: () => statusOf(id), done: 'cancelled' }
  },
  async 'payment returned'() {
    const { id, version } = await pay('manual')
    const args = { version, paymentId: id, amountMinor: 5_000, reference: 'OUT-1', why: 'broken' }
    return { args, isDone: () => statusOf(id), done: 'refunded' }
  },
  async 'payment refund'() {
    const { id, version } = await pay()
    const args = { version, paymentId: id, amountMinor: 4_000, key: `console refund ${count}`, why: 'broken' }
    const isDone = async () => {
      await SWEEPS.moneyOperations(kassa.ctx)
      return (await found(id)).refundedMinor
    }
    return { args, isDone, done: 4_000 }
  },
  async 'payment capture'() {
    const { id, version } = await pay('route_b')
    const args = { version, paymentId: id, amountMinor: 5_000, key: `console capture ${count}`, why: null }
    const isDone = async () => {
      await SWEEPS.moneyOperations(kassa.ctx)
      return (await found(id)).capturedMinor
    }
    return { args, isDone, done: 5_000 }
  },
  async 'payment void'() {
    const { id, version } = await pay('route_b')
    const args = { version, paymentId: id, key: `console void ${count}`, why: 'not needed' }
    const isDone = async () => {
      await SWEEPS.moneyOperations(kassa.ctx)
      return statusOf(id)
    }
    return { args, isDone, done: 'reversed' }
  },
  async 'operation resolve'() {
    const { id } = await pay()
    const given = { paymentId: id, amountMinor: 1_000, why: 'sent back' }
    const { operation } = await actOnMoney(kassa.ctx, 'refund', given, 'Root')
    const operationId = operation.id
    await kassa.ctx.db.query("update sandbox.operations set status = 'processing' where id = $1", [
      operationId,
    ])
    await kassa.ctx.db.query(
      "update sandbox.operations set status = 'requires_operator_review', due_at = null where id = $1",
      [operationId],
    )
    const { version } = await found(id)
    const status = () =>
      kassa.ctx.db.query('select status from sandbox.operations where id = $1', [operationId])
    const args = { version, operationId, as: 'failed', why: null }
    return { args, isDone: async () => (await status()).rows[0]?.status, done: 'failed' }
  },
  async 'account set'() {
    return { args: setOf('Urts'), isDone: async () => (await accountOf('Urts'))?.retiredAt, done: null }
  },
  async 'account retire'() {
    const id = await stored('account set', setOf('Retired'))
    await grant(id)
    const accountId = (await accountOf('Retired'))?.id ?? ''
    const isDone = async () => (await own(accountId))?.superseded
    return { args: { accountId, inFavourOfDeployment: true }, isDone, done: true }
  },
  async 'account ask'() {
    const given = {
      merchantId: shop.merchantId,
      currency: 'AMD' as const,
      recipient: 'Asked',
      bank: 'A bank',
      account: '1122334455',
      bic: '',
      days: '',
    }
    const args = { ...given, seen: seenOf(await listAccounts(kassa.ctx.db), given) }
    return { args, isDone: async () => (await accountOf('Asked'))?.currencies, done: ['AMD'] }
  },
  async 'callback set'() {
    const { callbackUrl: seen } = await getMerchant(kassa.ctx, shop.merchantId)
    const url = 'https://new.shop.example/events'
    const isDone = async () => (await getMerchant(kassa.ctx, shop.merchantId)).callbackUrl
    return { args: { merchantId: shop.merchantId, url, seen }, isDone, done: url }
  },
  async 'approval limit'() {
    const isDone = async () =>
      (await listLimits(kassa.ctx.db)).find(({ currency }) => currency === 'USD')?.limitMinor
    return { args: { currency: 'USD', limitMinor: 200 }, isDone, done: 200 }
  },
  async 'token issue'() {
    const { merchantId } = shop
    const count = async () => (await listTokens(kassa.ctx, merchantId)).length
    const before = await count()
    const args = {
      merchantId,
      scopes: ['operations.write'],
      refundLimits: { USD: 5_000 },
      refundLimitsDay: null,
    }
    return { args, isDone: async () => (await count()) - before, done: 1 }
  },
  async 'token set'() {
    const limits = { refundLimits: { USD: 1_000 }, refundLimitsDay: null }
    const { merchantId } = shop
    const { tokenId } = await issueToken(kassa.ctx, { merchantId, ...limits, doer: { id: ani.id } })
    const args = { tokenId, refundLimits: { USD: 3_300 }, refundLimitsDay: null, seen: versionOf(limits) }
    const isDone = async () => (await getToken(kassa.ctx, tokenId)).refundLimits
    return { args, isDone, done: { USD: 3_300 } }
  },
  async 'user add'() {
    const name = `Added ${++count}`
    const args = {
      name,
      role: 'operator',
      email: 'added@pay.example',
      merchantId: null,
      refundLimits: null,
      isKeyless: true,
      starts: starts(),
    }
    const isDone = () =>
      getPerson(kassa.ctx, name).then(
        ({ operator }) => operator.role,
        () => null,
      )
    return { args, isDone, done: 'operator' }
  },
  async 'user set'() {
    const { operator } = await person('operator')
    const args = {
      user: operator.id,
      role: 'administrator',
      isNewKey: false,
      seen: await seenBefore(operator.id),
      starts: starts(),
    }
    const isDone = async () => (await getPerson(kassa.ctx, operator.id)).operator.role
    return { args, isDone, done: 'administrator' }
  },
  async 'user reset'() {
    const { operator } = await person()
    const links = () =>
      kassa.ctx.db.query(
        "select encode(digest, 'hex') as digest from kassa.sign_in_links where operator_id = $1",
        [operator.id],
      )
    const before = (await links()).rows[0]?.digest
    const args = { user: operator.id, seen: await seenBefore(operator.id), starts: starts() }
    return { args, isDone: async () => (await links()).rows[0]?.digest !== before, done: true }
  },
  async 'user remove'() {
    const { operator } = await person()
    const isDone = () =>
      getPerson(kassa.ctx, operator.id).then(
        () => 'here',
        ({ code }) => code,
      )
    return { args: { user: operator.id, seen: await seenBefore(operator.id) }, isDone, done: 'not_found' }
  },
}
/** Acts whose proposals are only this version stores. */
const NEW = ['account allow', 'account rotate', 'callback rotate-secret', 'name ask']

test('every act that version 0.3.0 has stored has an example', () => {
  expect([...Object.keys(EXAMPLES), ...NEW].sort()).toEqual(Object.keys(GUARDED).sort())
})

test.each(Object.keys(EXAMPLES))(
  '%s as version 0.3.0 has stored it is shown whole and granted',
  async (what) => {
    const example = await EXAMPLES[what]?.()
    if (!example) throw new Error('There is no example.')
    const id = await stored(what, example.args)
    const { isUnreadable, hasMoved, facts } = await getApproval(kassa.ctx, id)
    expect({ isUnreadable, hasMoved, isShown: facts.length > 0 }).toEqual({
      isUnreadable: false,
      hasMoved: false,
      isShown: true,
    })
    await grant(id)
    expect([await stateOf(id), await example.isDone()]).toEqual(['done', example.done])
    await expect(grant(id)).rejects.toThrow(/done already/)
  },
)

test.each(Object.keys(EXAMPLES))(
  '%s with a value that nobody knows, or without one, does nothing',
  async (what) => {
    const example = await EXAMPLES[what]?.()
    if (!example) throw new Error('There is no example.')
    const before = await example.isDone()
    const [first = ''] = Object.keys(example.args).filter(
      (each) => !['version', 'seen', 'starts'].includes(each),
    )
    const { [first]: _left, ...without } = example.args as Record<string, unknown>
    for (const args of [
      { ...example.args, notify: 'everybody' },
      without,
      { ...example.args, [first]: { a: 1 } },
    ]) {
      const id = await stored(what, args)
      expect(await getApproval(kassa.ctx, id)).toMatchObject({ isUnreadable: true, facts: [] })
      await expect(grant(id)).rejects.toMatchObject({ code: 'validation_failed' })
      expect([await stateOf(id), await example.isDone()]).toEqual(['refused', before])
    }
  },
)

test('its proposer sees that it was refused, and why', async () => {
  const desk = await startDesk(kassa.worlds)
  const id = await stored('payment refund', { everything: true })
  const opened = await openAs(kassa.ctx, desk, {
    name: 'Lena',
    role: 'administrator',
    email: 'lena@pay.example',
  })
  const browser = await withPasskey(kassa.ctx, desk, opened)
  const path = `/sandbox/approvals/${id}`
  const page = await browser.get(path)
  expect(page.text).not.toContain(`action="${path}/grant"`)
  await expect(grant(id)).rejects.toMatchObject({ code: 'validation_failed' })
  const [shown] = (await listApprovals(kassa.ctx, { all: true })).filter((each) => each.id === id)
  expect(shown).toMatchObject({ state: 'refused', proposer: 'Ani', failure: 'impossible' })
  expect((await browser.get('/sandbox/approvals?all=yes')).text).toContain(id)
  await desk.close()
})
