/**
 * A whole Kassa with an account at the simulated Idram: what buyers pay is stored before Idram reads so, one bill is paid once, and the
 * money never is with nobody.
 */
import { describe, expect, test } from 'vitest'
import { callbackUrlOf } from '../../accounts/callback-address.ts'
import { setAccount } from '../../accounts/set.ts'
import { noteReturn } from '../../payments/decisions/returned.ts'
import { askOperation, cancelPayment, lookUp, readCapabilities, readPage } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { sumsOf } from '../../testing/providers/idram/bench.ts'
import { setIdramScene } from '../../testing/providers/idram/scene.ts'
import { ACCOUNT } from '../../testing/providers/idram/server.ts'
import { closeAfter } from '../../testing/scene.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const scene = closeAfter(await setIdramScene())

describe('a buyer', () => {
  test.each([1, 100, 190_000, 10 ** 12])(
    'pays %i luma, and comes back to the one address that Idram knows',
    async (amountMinor) => {
      const { kassa, shop, wallet, accountId, open } = scene
      const { id, url, bill } = await open({ amountMinor }, { isPosted: false })
      const { html } = await readPage(url)
      expect(html).toContain('You continue in the wallet')
      expect(html).not.toContain('Card details')
      expect(html).toContain(`value="${bill}"`)
      const { form } = (await scene.stored(id)).attempt
      const body = new URLSearchParams(form?.fields)
      const left = await fetch(`${url}/continue`, { method: 'POST', body, redirect: 'manual' })
      expect([left.status, left.headers.get('location')]).toEqual([307, wallet.address])
      await fetch(wallet.address, { method: 'POST', body })
      const paid = await fetch(`${wallet.origin}/pay`, {
        method: 'POST',
        body: new URLSearchParams({ bill }),
        redirect: 'manual',
      })
      const at = `${kassa.url}/returns/${accountId}`
      expect(paid.headers.get('location')).toBe(at)
      const cookie = left.headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; ')
      const back = await fetch(at, { headers: { cookie }, redirect: 'manual' })
      expect(back.headers.get('location')).toBe(`/checkout/${id}/return`)
      expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({
        status: 'paid',
        capturedMinor: amountMinor,
      })
      expect(sumsOf(wallet, bill)).toMatchObject({ capturedMinor: amountMinor })
    },
  )

  test('who cancels at Idram may pay the same bill again', async () => {
    const { wallet, open, statusOf } = scene
    const { id, bill } = await open()
    const press = (fields: Record<string, string>) =>
      fetch(`${wallet.origin}/pay`, {
        method: 'POST',
        body: new URLSearchParams({ bill, ...fields }),
        redirect: 'manual',
      })
    await press({ cancel: '1' })
    expect(await statusOf(id)).toBe('pending_redirect')
    await press({})
    expect(await statusOf(id)).toBe('paid')
  })
})

describe('a confirmation', () => {
  test('before any pre-check counts, and the pre-check after it is refused', async () => {
    const { wallet, open, statusOf } = scene
    const { id, bill } = await open()
    expect((await wallet.confirm(bill)).state).toBe('kept')
    expect(await statusOf(id)).toBe('paid')
    expect(await wallet.precheck(bill)).toBe(false)
  })

  test('while the pre-check is being answered is entered once', async () => {
    const { wallet, open, statusOf, takenOf } = scene
    for (let times = 0; times < 5; times++) {
      const { id, bill } = await open()
      const [, { state }] = await Promise.all([wallet.precheck(bill), wallet.confirm(bill)])
      expect([state, await statusOf(id)]).toEqual(['kept', 'paid'])
      expect(await takenOf(id)).toHaveLength(1)
    }
  })

  test('that arrives twice, and ten times at once, is kept each time and entered once', async () => {
    const { wallet, open, takenOf } = scene
    const { id, bill } = await open()
    await wallet.precheck(bill)
    const { id: transaction } = await wallet.confirm(bill)
    const again = await Promise.all(
      Array.from({ length: 10 }, () => wallet.confirm(bill, { id: transaction })),
    )
    expect(new Set(again.map(({ state }) => state))).toEqual(new Set(['kept']))
    expect(await takenOf(id)).toHaveLength(1)
  })

  test('of a second transaction for one bill goes back, and a person learns of it', async () => {
    const { wallet, open, takenOf, warningsOf } = scene
    for (const isAtOnce of [true, false]) {
      const { id, bill } = await open()
      const first = wallet.confirm(bill)
      if (!isAtOnce) await first
      const both = [await wallet.confirm(bill), await first]
      expect(both.map(({ state }) => state).toSorted()).toEqual(['kept', 'returned'])
      const other = both.find(({ state }) => state === 'returned')
      expect(await warningsOf(id)).toContain(other?.id)
      expect(await takenOf(id)).toHaveLength(1)
      expect(sumsOf(wallet, bill).capturedMinor).toBe(190_000)
    }
  })

  test('of a stranger, of another account, or for another bill changes nothing', async () => {
    const { wallet, open, statusOf } = scene
    const { id, bill } = await open()
    const { bill: dearer } = await open({ amountMinor: 900_000 })
    const forged = [
      wallet.confirm(bill, { id: 'forged-1', checksum: '0'.repeat(32) }),
      wallet.confirm(bill, { id: 'forged-2', fields: { EDP_REC_ACCOUNT: '100000115' } }),
      wallet.confirm('nobodys-bill', { id: 'forged-3', amount: '1900.00' }),
    ]
    for (const { state } of await Promise.all(forged)) expect(state).not.toBe('kept')
    expect(await statusOf(id)).toBe('pending_redirect')
    // A buyer shows the confirmation of a cheaper bill of his for a dearer one.
    const { id: transaction } = await wallet.confirm(bill)
    const [paid] = wallet.transactions.filter((each) => each.id === transaction)
    const moved = await wallet.confirm(dearer, { id: 'moved', amount: paid?.amount ?? '' })
    expect(moved.state).toBe('returned')
  })

  test('for another amount goes back, and a person decides', async () => {
    const { wallet, open, statusOf, takenOf } = scene
    const { id, bill } = await open()
    expect((await wallet.confirm(bill, { amount: '1899.00' })).state).toBe('returned')
    expect([await statusOf(id), await takenOf(id)]).toEqual(['status_unknown', []])
    expect((await wallet.confirm(bill)).state).toBe('kept')
    expect(await statusOf(id)).toBe('paid')
  })

  test('after the merchant’s cancel goes back by itself, and the payment stays cancelled', async () => {
    const { kassa, shop, wallet, open, stored, warningsOf } = scene
    const { id, bill } = await open()
    expect(await wallet.precheck(bill)).toBe(true)
    expect((await cancelPayment(kassa.url, shop, id, { key: `cancel-${id}` })).status).toBe(201)
    expect(await wallet.precheck(bill)).toBe(false)
    const { state, id: transaction } = await wallet.confirm(bill)
    expect(state).toBe('returned')
    expect(await stored(id)).toMatchObject({ status: 'cancelled', capturedMinor: 0 })
    expect(await warningsOf(id)).toContain(transaction)
    expect(sumsOf(wallet, bill).capturedMinor).toBe(0)
  })
})

describe('a payment that nobody confirms', () => {
  test('ends at its expiry if Idram never asked, and is left to a person if it did', async () => {
    const { wallet, open, statusOf, stored, later, kassa } = scene
    const never = await open()
    const opened = await open()
    expect(await wallet.precheck(opened.bill)).toBe(true)
    const { expiresAt } = await stored(never.id)
    await later(expiresAt.getTime() - kassa.clock.now().getTime() + 1_000)
    expect([await statusOf(never.id), await statusOf(opened.id)]).toEqual(['expired', 'pending_payment'])
    expect([await wallet.precheck(never.bill), await wallet.precheck(opened.bill)]).toEqual([false, false])
    await later(16 * MINUTE_MS)
    expect(await statusOf(opened.id)).toBe('status_unknown')
    for (const { id, bill } of [never, opened]) {
      expect((await wallet.confirm(bill)).state).toBe('kept')
      expect(await statusOf(id)).toBe('paid')
    }
  })
})

test('a payment that may be paid for weeks waits a day for the confirmation of an allowed pre-check', async () => {
  const patient = await setIdramScene({ settings: { SESSION_TTL: String(30 * 86_400) } })
  const { wallet, open, statusOf, later } = patient
  const [opened, never] = [await open(), await open()]
  expect(await wallet.precheck(opened.bill)).toBe(true)
  await later(DAY_MS)
  expect(await statusOf(opened.id)).toBe('pending_payment')
  await later(16 * MINUTE_MS)
  expect([await statusOf(opened.id), await statusOf(never.id)]).toEqual([
    'status_unknown',
    'pending_redirect',
  ])
  expect((await wallet.confirm(opened.bill)).state).toBe('kept')
  expect(await statusOf(opened.id)).toBe('paid')
  await patient.close()
})

describe('money that goes back', () => {
  test('is returned at Idram by a person and noted: no request refunds it, and no later question undoes the note', async () => {
    const { kassa, shop, wallet, open, stored, later } = scene
    const { id, bill } = await open()
    await wallet.pay(bill)
    const answer = await askOperation(kassa.url, shop, id, 'refunds', {
      key: `refund-${id}`,
      body: { amountMinor: 50_000, reason: 'x' },
    })
    expect(answer.status).toBe(409)
    const decision = { reference: 'cabinet-1', amountMinor: 50_000, actor: 'a person', why: 'returned' }
    await noteReturn(kassa.ctx, id, decision)
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 50_000 })
    for (const days of [1, 30, 90]) await later(days * DAY_MS)
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 50_000 })
  })
})

describe('the account', () => {
  test('offers what Idram has, and nothing else', async () => {
    const { kassa, shop } = scene
    const { body } = await readCapabilities(kassa.url, shop)
    const route = body.providers.find(({ id }: { id: string }) => id === 'route_a')
    expect(route).toMatchObject({ label: 'Idram', currencies: ['AMD'], supportsAutoinit: false })
    const enabled = Object.entries(route.capabilities as Record<string, { enabled: boolean }>)
      .filter(([, state]) => state.enabled)
      .map(([name]) => name)
    expect(enabled).toEqual(['payment_links', 'qr_presentation', 'cancel'])
  })

  test('keeps its id and its address when the key or the addresses of the callers change', async () => {
    const { kassa } = scene
    const { merchantId } = await openShop(kassa.ctx)
    const set = (written: Record<string, string>) =>
      setAccount(kassa.ctx, {
        merchantId,
        route: 'route_d',
        driver: 'idram',
        currencies: undefined,
        written: { REC_ACCOUNT: '100000777', ADDRESS: scene.wallet.address, ...written },
      })
    const first = await set({ SECRET_KEY: 'first-key' })
    for (const written of [
      { SECRET_KEY: 'second-key' },
      { SECRET_KEY: 'second-key', CALLERS: '192.0.2.7' },
    ]) {
      const { accountId } = await set(written)
      expect(callbackUrlOf(kassa.ctx, { id: accountId })).toBe(
        callbackUrlOf(kassa.ctx, { id: first.accountId }),
      )
    }
    expect(
      (await set({ SECRET_KEY: 'k-other', REC_ACCOUNT: ACCOUNT.account.replace('1', '9') })).accountId,
    ).not.toBe(first.accountId)
  })
})
