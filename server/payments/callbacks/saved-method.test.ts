/** Callbacks about saved cards: the provider is asked about the card, of the right account only. */
import { describe, expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import { plainReply } from '../../providers/driver/inbound.ts'
import type { Driver } from '../../providers/driver.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { findSavedMethod, type SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import {
  chooseCard,
  createSubscription,
  createToken,
  openToken,
  revokeToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, shop } = await openScene()
const { ctx, clock, url } = kassa

const find = async (id: string) => (await findSavedMethod(ctx.db, shop.merchantId, id)) as SavedMethodRecord
const statusOf = async (id: string) => (await find(id)).status
const cardOf = (id: string) => ({ customer: 'kassa', reference: referenceOf(id) })

/** The bank's callbacks arrive. Nobody asks the bank by the schedule. */
async function deliver(): Promise<void> {
  clock.advance(4_000)
  await SWEEPS.bankCallbacks(ctx)
}
async function answers(id: string): Promise<{ code: number | null; attempts: number }[]> {
  const { rows } = await ctx.db.query(
    'select status_code as code, attempts from sandbox.sandbox_callbacks where reference = $1 order by number',
    [referenceOf(id)],
  )
  return rows
}
async function saveAtBank(outcome: string): Promise<{ id: string; operationId: string }> {
  const { body } = await createToken(url, shop)
  await chooseCard(body.setupUrl, outcome)
  return { id: body.token.id, operationId: body.operation.id }
}
async function callBack(reference: string, account = ctx.routes.route_a.id, customer = 'kassa') {
  const body = JSON.stringify({ reference, event: 'card_saved', at: '2026-01-01T00:00:00.000Z' })
  const signature = await ctx.sandbox.bank.customers.signaturesOf(customer, body)
  const headers = { 'x-bank-signature': signature }
  return (await fetch(`${url}/callbacks/${account}`, { method: 'POST', headers, body })).status
}
/** The bank does not answer, until `act` is over. */
function whileAway<Result>(act: () => Promise<Result>): Promise<Result> {
  return whileDriving({ lookUpToken: async () => Promise.reject(new Error('away')) }, act)
}
/** The driver has other members, until `act` is over. */
async function whileDriving<Result>(members: Partial<Driver>, act: () => Promise<Result>): Promise<Result> {
  const { route_a: route } = ctx.routes
  ctx.routes.route_a = { ...route, driver: { ...route.driver, ...members } as typeof route.driver }
  try {
    return await act()
  } finally {
    ctx.routes.route_a = route
  }
}

describe('a card that the buyer saves', () => {
  test('is active as soon as the bank tells of it: the buyer never comes back, and no question is due', async () => {
    const { id, operationId } = await saveAtBank('saved')
    await deliver()
    expect(await find(id)).toMatchObject({ status: 'active', card: { last4: '4242' }, attempts: 0 })
    expect((await findOperation(ctx.db, shop.merchantId, operationId))?.status).toBe('succeeded')
    expect(await answers(id)).toEqual([{ code: 200, attempts: 1 }])
  })

  test('is cancelled as soon as the bank tells that the buyer has cancelled', async () => {
    const { id } = await saveAtBank('cancelled')
    await deliver()
    expect(await statusOf(id)).toBe('cancelled')
  })

  test('is asked about at once by the schedule if the bank does not answer when it calls', async () => {
    const { id } = await saveAtBank('saved')
    expect(await whileAway(() => callBack(referenceOf(id)))).toBe(200)
    expect((await find(id)).dueAt?.getTime()).toBeLessThanOrEqual(clock.now().getTime())
    await SWEEPS.cardSavings(ctx)
    expect(await statusOf(id)).toBe('active')
  })

  test('is not active because a callback says so, while the bank itself says that it is open', async () => {
    const { body } = await createToken(url, shop)
    expect(await callBack(referenceOf(body.token.id))).toBe(200)
    expect(await statusOf(body.token.id)).toBe('pending')
  })
})

describe('a card that the buyer removes at the bank', () => {
  test('is revoked, and its subscription ends without another charge', async () => {
    const id = await openToken(url, shop)
    const body = subscriptionRequest(id, { merchantSubscriptionId: 'removed' })
    const created = await createSubscription(url, shop, { body })
    await SWEEPS.renewals(ctx)
    const { id: subscriptionId } = created.body.subscription
    expect((await findSubscription(ctx.db, shop.merchantId, subscriptionId))?.status).toBe('active')
    await ctx.sandbox.cards.giveUp(cardOf(id), clock.now())
    await deliver()
    expect(await statusOf(id)).toBe('revoked')
    await SWEEPS.renewals(ctx)
    clock.advance(40 * 86_400_000)
    await SWEEPS.renewals(ctx)
    expect(await findSubscription(ctx.db, shop.merchantId, subscriptionId)).toMatchObject({
      status: 'cancelled',
      cancelReason: 'token_revoked',
    })
    expect((await ctx.sandbox.cards.find(cardOf(id)))?.statement).toHaveLength(1)
  })

  test('is told again until the bank has answered', async () => {
    const id = await openToken(url, shop)
    await deliver()
    await ctx.sandbox.cards.giveUp(cardOf(id), clock.now())
    await whileAway(deliver)
    expect([await statusOf(id), (await answers(id)).at(-1)]).toEqual(['active', { code: 503, attempts: 1 }])
    clock.advance(60_000)
    await deliver()
    expect([await statusOf(id), (await answers(id)).at(-1)]).toEqual(['revoked', { code: 200, attempts: 2 }])
  })

  test('that the merchant has revoked stays revoked, and the callback is accepted', async () => {
    const id = await openToken(url, shop)
    await revokeToken(url, shop, id)
    expect(await callBack(referenceOf(id))).toBe(200)
    expect(await statusOf(id)).toBe('revoked')
  })
})

describe('a callback that must change nothing', () => {
  test('forged, of another customer of the bank, or at another account', async () => {
    const { id } = await saveAtBank('saved')
    const reference = referenceOf(id)
    const accountId = ctx.routes.route_a.id
    const unsigned = await fetch(`${url}/callbacks/${accountId}`, {
      method: 'POST',
      body: JSON.stringify({ reference }),
    })
    expect(unsigned.status).toBe(403)
    expect(await callBack(reference, accountId, 'somebody')).toBe(403)
    // The same bank and the same secret, but a card of another account.
    expect(await callBack(reference, ctx.routes.route_b.id)).toBe(404)
    expect(await callBack('nobody')).toBe(404)
    expect(await statusOf(id)).toBe('pending')
    expect(await callBack(reference)).toBe(200)
    expect(await statusOf(id)).toBe('active')
  })

  test('about an active card, while the bank knows no such card: nothing was removed by anybody', async () => {
    const id = await openToken(url, shop)
    await ctx.db.query('delete from sandbox.sandbox_cards where reference = $1', [referenceOf(id)])
    expect(await callBack(referenceOf(id))).toBe(200)
    expect(await statusOf(id)).toBe('active')
  })
})

describe('a message about several cards', () => {
  /** The bank reports all of them in one message. */
  const tellOf = (ids: string[]) => {
    const events = ids.map((id) => ({ kind: 'hint', reference: id && referenceOf(id) }) as const)
    const receive = async () => ({ kind: 'several', events }) as const
    return whileDriving({ inbound: { receive, reply: plainReply } }, () => callBack('several'))
  }

  test('is sent again if one of them could not be asked about, and then settles each once', async () => {
    const saved = await openToken(url, shop)
    const { id: removed } = await saveAtBank('saved')
    await deliver()
    await ctx.sandbox.cards.giveUp(cardOf(removed), clock.now())
    const { id: open } = await saveAtBank('saved')
    // The bank does not answer: a card that is being saved is asked about later anyway, and one that is saved is not.
    expect(await whileAway(() => tellOf([open]))).toBe(200)
    expect(await whileAway(() => tellOf([open, removed, saved, '']))).toBe(503)
    expect([await statusOf(open), await statusOf(removed)]).toEqual(['pending', 'active'])
    for (let times = 0; times < 2; times++) expect(await tellOf([open, removed, saved, ''])).toBe(200)
    const all = await Promise.all([open, removed, saved].map(statusOf))
    expect(all).toEqual(['active', 'revoked', 'active'])
  })
})
