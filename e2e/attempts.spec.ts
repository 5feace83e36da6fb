/** One payment, several tries at the bank, in the three languages: what the buyer sees, and what the payment becomes. */
import type { Page } from '@playwright/test'
import { arriveAtThanks, chooseAtBank, openCheckout } from './support/buyer.ts'
import type { Shop } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const SETTLES_WITHIN_MS = 20_000

const WORDS = {
  hy: {
    tryAgain: 'Փորձել կրկին',
    untaken: 'գումար չի գանձվել',
    declined: 'չհաստատեց այս քարտով',
    over: 'ժամանակը սպառվեց',
  },
  ru: {
    tryAgain: 'Попробовать ещё раз',
    untaken: 'не списаны',
    declined: 'не одобрил оплату этой картой',
    over: 'Время на странице банка истекло',
  },
  en: {
    tryAgain: 'Try again',
    untaken: 'No money was taken',
    declined: 'did not approve this card',
    over: 'ran out',
  },
} as const

/** Creates a payment by the merchant's API. Returns the payment's id. */
async function createPayment(shop: Shop, url: string, metadata: object = {}): Promise<string> {
  const answer = await fetch(`${url}/v1/payment-sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.account.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      merchantOrderId: `order-${crypto.randomUUID().replaceAll(/\d/g, 'x')}`,
      amountMinor: 1500,
      currency: 'USD',
      returnUrl: `${shop.origin}/thanks`,
      metadata,
    }),
  })
  const body = (await answer.json()) as { id: string }
  expect([answer.status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })])
  return body.id
}

async function expectTryAgain(page: Page, words: { tryAgain: string; untaken: string }, why: string) {
  await expect(page.getByTestId('pay')).toHaveText(words.tryAgain)
  await expect(page.getByTestId('checkout')).toContainText(words.untaken)
  await expect(page.getByTestId('checkout')).toContainText(why)
  await expect(page.getByTestId('back')).toBeVisible()
}

for (const locale of ['hy', 'ru', 'en'] as const) {
  test(`in ${locale} a declined buyer tries again and pays`, async ({ page, shop, kassa }) => {
    const paymentId = await createPayment(shop, kassa.url)
    await page.goto(`${kassa.url}/checkout/${paymentId}?locale=${locale}`)
    await chooseAtBank(page, 'declined')
    await expectTryAgain(page, WORDS[locale], WORDS[locale].declined)
    expect((await shop.lookUp(paymentId)).status).toBe('pending_payment')
    await chooseAtBank(page, 'paid')
    await arriveAtThanks(page, shop)
    expect((await shop.lookUp(paymentId)).status).toBe('paid')
  })

  test(`in ${locale} a buyer whose session at the bank ran out tries again and pays`, async ({
    page,
    shop,
    kassa,
    operator,
  }) => {
    const paymentId = await createPayment(shop, kassa.url, { sandboxFault: 'expires_early' })
    await page.goto(`${kassa.url}/checkout/${paymentId}?locale=${locale}`)
    await page.getByTestId('pay').click()
    await expect(page.getByTestId('bank')).toBeVisible()
    await operator.run('clock', 'advance', '--by', '61s')
    await page.goto(`${kassa.url}/checkout/${paymentId}/return`)
    await expectTryAgain(page, WORDS[locale], WORDS[locale].over)
    await chooseAtBank(page, 'paid')
    await arriveAtThanks(page, shop)
  })

  test(`in ${locale} a cancelled payment ends, and a lost answer waits without a way to pay`, async ({
    page,
    shop,
    kassa,
  }) => {
    const cancelled = await createPayment(shop, kassa.url)
    await page.goto(`${kassa.url}/checkout/${cancelled}?locale=${locale}`)
    await chooseAtBank(page, 'cancelled')
    await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'cancelled')
    await expect(page.getByTestId('checkout')).toContainText(WORDS[locale].untaken)
    await expect(page.getByTestId('pay')).toHaveCount(0)
    const lost = await createPayment(shop, kassa.url)
    await page.goto(`${kassa.url}/checkout/${lost}?locale=${locale}`)
    await chooseAtBank(page, 'unknown')
    await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'status_unknown')
    await expect(page.getByTestId('looking')).toBeVisible()
    await expect(page.getByTestId('pay')).toHaveCount(0)
  })
}

test('two tabs after a decline share one new attempt, and only one of them takes money', async ({
  page,
  context,
  shop,
  kassa,
}) => {
  const paymentId = await openCheckout(page, shop)
  await chooseAtBank(page, 'declined')
  const other = await context.newPage()
  await other.goto(`${kassa.url}/checkout/${paymentId}`)
  await Promise.all([page.getByTestId('pay').click(), other.getByTestId('pay').click()])
  await expect(other.getByTestId('bank')).toBeVisible()
  await expect(page.getByTestId('bank')).toBeVisible()
  expect(other.url()).toBe(page.url())
  await page.locator('button[name="outcome"][value="paid"]').click()
  await arriveAtThanks(page, shop)
  await other.reload()
  await expect(other.getByTestId('bank')).toHaveAttribute('data-state', 'done')
  await expect
    .poll(async () => (await shop.lookUp(paymentId)).status, { timeout: SETTLES_WITHIN_MS })
    .toBe('paid')
  expect((await shop.lookUp(paymentId)).capturedMinor).toBe(1500)
})
