/** What a buyer does and sees, in the words of the tests. */
import { expect, type Locator, type Page, type Request } from '@playwright/test'
import type { WidgetCheckoutRequest } from '../../server/contract/widget.ts'
import type { Shop } from './shop.ts'

export type Outcome = 'paid' | 'declined' | 'cancelled' | 'pending' | 'unknown'

const CHECKOUT = /\/checkout\/([^/?#]+)$/

export function payButton(page: Page): Locator {
  return page.locator('kassa-pay button')
}

/** From a page of the shop to the hosted checkout; answers the payment's id. */
export async function openCheckout(page: Page, shop: Shop, path = '/element.html'): Promise<string> {
  await page.goto(shop.origin + path)
  await payButton(page).click()
  return arriveAtCheckout(page)
}

export async function arriveAtCheckout(page: Page): Promise<string> {
  await page.waitForURL(CHECKOUT)
  return CHECKOUT.exec(page.url())?.[1] ?? ''
}

/** From the hosted checkout through the bank, back to where the bank sends the browser. */
export async function chooseAtBank(page: Page, outcome: Outcome): Promise<void> {
  await page.getByTestId('pay').click()
  await expect(page.getByTestId('bank')).toBeVisible()
  await page.locator(`button[name="outcome"][value="${outcome}"]`).click()
}

/** A return names the payment and the order, and never says how it went. */
export async function arriveAtThanks(page: Page, shop: Shop): Promise<URLSearchParams> {
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  const { origin, pathname, searchParams } = new URL(page.url())
  expect(origin + pathname).toBe(`${shop.origin}/thanks`)
  expect([...searchParams.keys()].sort()).toEqual(['merchantOrderId', 'paymentId'])
  return searchParams
}

/** The whole way, from the shop's page to its thanks page; answers the payment's id. */
export async function buy(
  page: Page,
  shop: Shop,
  { outcome, path }: { outcome: Outcome; path?: string },
): Promise<string> {
  const paymentId = await openCheckout(page, shop, path)
  await chooseAtBank(page, outcome)
  expect((await arriveAtThanks(page, shop)).get('paymentId')).toBe(paymentId)
  return paymentId
}

/** Every checkout that the page asks for from now on, in order. The list grows as they leave. */
export function watchCheckouts(page: Page): WidgetCheckoutRequest[] {
  const asked: WidgetCheckoutRequest[] = []
  page.on('request', (request: Request) => {
    if (request.method() !== 'POST' || !request.url().endsWith('/api/widget/checkout')) return
    asked.push(request.postDataJSON() as WidgetCheckoutRequest)
  })
  return asked
}

/** Everything that the browser complains about from now on, content policy violations and failed scripts included. */
export async function watchComplaints(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy violation: ${violatedDirective} ${blockedURI}`)
    })
  })
  return complaints
}
