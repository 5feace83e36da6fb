/** One payment, several tries at the bank, in the three languages: what the buyer sees, and what the payment becomes. */
import type { Page } from '@playwright/test'
import { arriveAtThanks, chooseAtBank, openCheckout } from './support/buyer.ts'
import { expect, test } from './support/stage.ts'

const isLong = process.env.KASSA_TEST_LONG !== undefined
const SETTLES_WITHIN_MS = 60_000

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

type Locale = keyof typeof WORDS

/** Checks the page, which is in the first of these languages. The long tests then load it in each of the others. */
async function expectInEach(
  page: Page,
  { address, locales }: { address: string; locales: Locale[] },
  check: (words: (typeof WORDS)[Locale]) => Promise<void>,
): Promise<void> {
  for (const [index, locale] of locales.entries()) {
    if (index > 0 && !isLong) return
    if (index > 0) await page.goto(`${address}?locale=${locale}`)
    await expect(page.locator('html')).toHaveAttribute('lang', locale)
    await check(WORDS[locale])
  }
}

async function expectTryAgain(page: Page, words: (typeof WORDS)[Locale], why: 'declined' | 'over') {
  await expect(page.getByTestId('pay')).toHaveText(words.tryAgain)
  await expect(page.getByTestId('checkout')).toContainText(words.untaken)
  await expect(page.getByTestId('checkout')).toContainText(words[why])
  await expect(page.getByTestId('back')).toBeVisible()
}

// Each buyer chooses another language first, and comes back from the bank to a page in this language.
test('a declined buyer is told so in each language, tries again and pays', async ({ page, shop, kassa }) => {
  const { id: paymentId } = await shop.createPayment()
  const address = `${kassa.url}/checkout/${paymentId}`
  await page.goto(`${address}?locale=hy`)
  await chooseAtBank(page, 'declined')
  await expectInEach(page, { address, locales: ['hy', 'ru', 'en'] }, (words) =>
    expectTryAgain(page, words, 'declined'),
  )
  expect((await shop.lookUp(paymentId)).status).toBe('pending_payment')
  await chooseAtBank(page, 'paid')
  await arriveAtThanks(page, shop)
  expect((await shop.lookUp(paymentId)).status).toBe('paid')
})

test('a buyer whose session at the bank ran out is told so in each language, tries again and pays', async ({
  page,
  shop,
  kassa,
  operator,
}) => {
  const { id: paymentId } = await shop.createPayment({ metadata: { sandboxFault: 'expires_early' } })
  const address = `${kassa.url}/checkout/${paymentId}`
  await page.goto(`${address}?locale=ru`)
  await page.getByTestId('pay').click()
  await expect(page.getByTestId('bank')).toBeVisible()
  await operator.run('clock', 'advance', '--by', '61s')
  await page.goto(`${address}/return`)
  await expectInEach(page, { address, locales: ['ru', 'en', 'hy'] }, (words) =>
    expectTryAgain(page, words, 'over'),
  )
  await chooseAtBank(page, 'paid')
  await arriveAtThanks(page, shop)
})

test('a cancelled payment ends, and after a lost answer the page offers no payment, in each language', async ({
  page,
  shop,
  kassa,
}) => {
  const { id: cancelled } = await shop.createPayment()
  const cancelledAddress = `${kassa.url}/checkout/${cancelled}`
  await page.goto(`${cancelledAddress}?locale=en`)
  await chooseAtBank(page, 'cancelled')
  await expectInEach(page, { address: cancelledAddress, locales: ['en', 'hy', 'ru'] }, async (words) => {
    await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'cancelled')
    await expect(page.getByTestId('checkout')).toContainText(words.untaken)
    await expect(page.getByTestId('pay')).toHaveCount(0)
  })
  const { id: lost } = await shop.createPayment()
  const lostAddress = `${kassa.url}/checkout/${lost}`
  await page.goto(`${lostAddress}?locale=hy`)
  await chooseAtBank(page, 'unknown')
  await expectInEach(page, { address: lostAddress, locales: ['hy', 'ru', 'en'] }, async () => {
    await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'status_unknown')
    await expect(page.getByTestId('looking')).toBeVisible()
    await expect(page.getByTestId('pay')).toHaveCount(0)
  })
})

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
