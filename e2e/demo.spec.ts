import type { Page } from '@playwright/test'
import { arriveAtCheckout, chooseAtBank, payButton, watchComplaints } from './support/buyer.ts'
import type { Kassa } from './support/kassa.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

const DECIDES_WITHIN_MS = 60_000

async function buyTea(page: Page, kassa: Kassa, outcome: 'paid' | 'declined'): Promise<void> {
  await page.goto(`${kassa.url}/demo/`)
  await expect(payButton(page)).toHaveText('Pay ֏1,900')
  await expect(payButton(page)).toHaveAccessibleName('Pay ֏1,900, Mountain thyme tea')
  await payButton(page).click()
  await arriveAtCheckout(page)
  await expect(page.getByTestId('amount')).toHaveText('֏1,900')
  await chooseAtBank(page, outcome)
  if (outcome === 'paid') await page.waitForURL(`${kassa.url}/demo/thanks.html?*`)
}

test('the demo shop sells its tea and ships it when the look-up and the event both say paid', async ({
  page,
  kassa,
}) => {
  const complaints = await watchComplaints(page)
  await buyTea(page, kassa, 'paid')
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toHaveAttribute('data-state', 'may-ship', { timeout: DECIDES_WITHIN_MS })
  await expect(verdict.getByRole('heading')).toHaveText('Paid. The parcel may leave.')
  const steps = page.getByTestId('steps').getByRole('listitem')
  await expect(steps).toHaveCount(4)
  for (const step of await steps.all()) await expect(step).toHaveAttribute('data-done', 'true')
  await expect(page.getByTestId('look-up')).toHaveAttribute('data-proof', 'yes')
  await expect(page.getByTestId('event')).toHaveAttribute('data-proof', 'yes')
  await page.getByTestId('ship').click()
  await expect(page.getByTestId('ship')).toHaveText('Shipped')

  await page.goto(`${kassa.url}/demo/?lang=ru`)
  await page.getByRole('link', { name: 'Сегодняшние заказы' }).click()
  await expect(page.locator('main')).toContainText('Mountain thyme tea')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru')
  for (const name of ['Страница продавца', 'Плакат с QR-кодом']) {
    await page.goto(`${kassa.url}/demo/?lang=ru`)
    await page.getByRole('link', { name }).click()
    await expect(page.locator('main')).toContainText('Горный чабрец')
  }
  await page.goto(`${kassa.url}/demo/?lang=ru`)
  await page.getByRole('link', { name: 'Руководства для владельцев' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Продавать по ссылке')
  expect(complaints).toEqual([])
})

test('the payment of the demo shop shows every way to reach the shop, and its site is the demo', {
  tag: '@long',
}, async ({ page, kassa }) => {
  await page.goto(`${kassa.url}/demo/`)
  await payButton(page).click()
  await arriveAtCheckout(page)
  const contact = page.getByTestId('contact')
  for (const part of ['+374 00 000000', 'hello@urts.example', '00000000'])
    await expect(contact).toContainText(part)
  await contact.getByRole('link', { name: new URL(kassa.url).host }).click()
  await expect(page).toHaveURL(`${kassa.url}/demo/`)
})

test('the demo shop does not ship a declined tea, and says why', { tag: '@long' }, async ({
  page,
  kassa,
}) => {
  await page.route('**/api/widget/checkout', (route) => route.abort(), { times: 1 })
  await page.goto(`${kassa.url}/demo/`)
  await payButton(page).click()
  await expect(payButton(page)).toHaveAccessibleName('Try again, Mountain thyme tea')
  await buyTea(page, kassa, 'declined')
  // A declined buyer never lands on a page that says thanks.
  await expect(page.getByTestId('checkout')).toHaveAttribute('data-status', 'pending_payment')
  await expect(page.getByTestId('pay')).toHaveText('Try again')
  const paymentId = new URL(page.url()).pathname.split('/').at(-1)
  await page.getByTestId('back').click()
  await expect(page).toHaveURL(`${kassa.url}/demo/`)
  await page.goto(`${kassa.url}/demo/thanks.html?paymentId=${paymentId}`)
  const verdict = page.getByTestId('verdict')
  await expect(verdict).toHaveAttribute('data-state', 'waiting', { timeout: DECIDES_WITHIN_MS })
  await expect(page.getByTestId('ship')).toHaveAttribute('aria-disabled', 'true')
})

test('the demo shop ships nothing to somebody who only opens its thanks page', async ({ page, kassa }) => {
  await page.goto(`${kassa.url}/demo/thanks.html?paymentId=pay_1&merchantOrderId=wgt_1&status=paid`)
  await expect(page.getByTestId('verdict')).toContainText('The shop does not know this order.')
  await expect(page.getByTestId('ship')).toHaveAttribute('aria-disabled', 'true')
})

test('the tour shows the event and the receipt, then refunds a part, then the rest', {
  tag: '@long',
}, async ({ page, kassa }) => {
  const complaints = await watchComplaints(page)
  await buyTea(page, kassa, 'paid')
  const statuses = page.getByTestId('timeline').locator('b')
  await expect(statuses).toContainText(['created', 'paid'], { timeout: DECIDES_WITHIN_MS })
  await expect(page.getByTestId('receipt')).toHaveAttribute('data-status', 'issued', {
    timeout: DECIDES_WITHIN_MS,
  })
  const paymentId = new URL(page.url()).searchParams.get('paymentId')

  await page.getByText('What the event looked like').click()
  const event = page.locator('#event-text')
  await expect(event).toContainText(/x-service-signature: t=\d{10},v1=[0-9a-f]{64}/)
  await expect(event).toContainText(`"id":"${paymentId}"`)
  await page.getByText('What the look-up says').click()
  await expect(page.locator('#look-up-curl')).toContainText(`/v1/payments?paymentId=${paymentId}`)

  await page.getByTestId('refund-part').dblclick()
  await expect(page.getByTestId('refund-answer')).toHaveText(
    'The bank confirmed it, and the event has come.',
    {
      timeout: DECIDES_WITHIN_MS,
    },
  )
  await expect(page.getByTestId('verdict').getByRole('heading')).toHaveText('Part of the money went back')
  await expect(page.getByTestId('refund-part')).toBeHidden()
  await expect(page.getByTestId('refund-rest')).toHaveText('Return ֏1,400')
  const receipt = page.getByTestId('receipt')
  await expect(receipt).toHaveAttribute('data-status', 'partially_refunded', { timeout: DECIDES_WITHIN_MS })
  await page.getByTestId('refund-rest').click()
  await expect(statuses).toContainText(['paid', 'partially_refunded', 'refunded'], {
    timeout: DECIDES_WITHIN_MS,
  })
  await expect(page.getByTestId('verdict').getByRole('heading')).toHaveText('The money went back')
  await expect(page.getByTestId('refund-rest')).toBeHidden()
  await expect(page.getByTestId('receipt')).toHaveAttribute('data-status', 'refunded', {
    timeout: DECIDES_WITHIN_MS,
  })
  expect(await page.content()).not.toMatch(/ksk_sandbox|whsec_/)
  expect(complaints).toEqual([])
})

test('without the widget the link inside the button leads to the same payment', async ({ page, kassa }) => {
  await page.route('**/widget/**', (route) => route.abort())
  await page.goto(`${kassa.url}/demo/?lang=ru`)
  await page.locator('kassa-pay').getByRole('link', { name: 'Купить за 1 900 ֏' }).click()
  await expect(page).toHaveURL(/\/pay\/kpk_[^/]+\/tea\?locale=ru$/)
  await expect(page.getByTestId('amount')).toHaveText('1 900 ֏')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('the tea can be bought, and the buyer comes back to the shop', { tag: '@long' }, async ({
    page,
    kassa,
  }) => {
    await page.goto(`${kassa.url}/demo/`)
    await expect(page.locator('#price')).toHaveText('֏1,900')
    await page.getByRole('link', { name: 'Buy the tea' }).click()
    await chooseAtBank(page, 'paid')
    await page.waitForURL(`${kassa.url}/demo/thanks.html?*`)
  })
})

test('the shop has three languages and keeps the chosen one through the payment', { tag: '@long' }, async ({
  page,
  kassa,
}) => {
  await page.goto(`${kassa.url}/demo/`)
  await page.getByRole('link', { name: 'Рус' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Горный чабрец')
  await expect(payButton(page)).toHaveText('Оплатить 1 900 ֏')
  await payButton(page).click()
  await arriveAtCheckout(page)
  await expect(page.locator('.shop-name')).toHaveText('Чай «Урц», Ереван')
  await expect(page.locator('main')).toContainText('Горный чабрец')
  await chooseAtBank(page, 'paid')
  await page.waitForURL(`${kassa.url}/demo/thanks.html?*`)
  const heading = page.getByTestId('verdict').getByRole('heading')
  await expect(heading).toHaveText('Оплачено. Посылку можно отправлять.', { timeout: DECIDES_WITHIN_MS })
  await page.getByRole('link', { name: 'Հայ' }).click()
  await expect(heading).toHaveText('Վճարված է։ Ծանրոցը կարելի է ուղարկել։', { timeout: DECIDES_WITHIN_MS })
})

test('the demo pages say the same things in every language, and fit a phone', { tag: '@long' }, async ({
  page,
  kassa,
}) => {
  for (const lang of ['hy', 'ru', 'en'])
    for (const place of ['', 'thanks.html']) {
      await page.goto(`${kassa.url}/demo/${place}?lang=${lang}`)
      await expect(page.locator('html')).toHaveAttribute('lang', lang)
      const faults = await page.evaluate(async (language) => {
        const read = async (each: string) =>
          Object.values(await import(`/demo/words-${each}.js`))[0] as Record<string, string>
        const [words, english] = await Promise.all([read(language), read('en')])
        const holes = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort().join()
        const unlike = Object.keys(english).filter(
          (key) => holes(words[key]) !== holes(english[key]) || !words[key],
        )
        const named = [...document.querySelectorAll<HTMLElement>('[data-words]')].map(
          (node) => node.dataset.words ?? '',
        )
        const source = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
        const plain = (text: string | null) => (text ?? '').trim().replaceAll(/\s+/g, ' ')
        const untrue = [...source.querySelectorAll<HTMLElement>('[data-words]')].filter(
          (node) => plain(node.textContent) !== english[node.dataset.words ?? ''],
        )
        return {
          unlike,
          unknown: named.filter((key) => !(key in english)),
          untrue: untrue.map((node) => node.dataset.words),
        }
      }, lang)
      expect(faults).toEqual({ unlike: [], unknown: [], untrue: [] })
      expect(await phoneFaults(page)).toEqual([])
    }
})
