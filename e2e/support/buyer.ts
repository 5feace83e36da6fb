/** The steps of a buyer, from the shop's page through the bank and back. */
import { expect, type Locator, type Page, type Request } from '@playwright/test'
import type { WidgetCheckoutRequest } from '../../server/contract/widget.ts'
import type { Shop } from './shop.ts'

export type Outcome = 'paid' | 'declined' | 'cancelled' | 'pending' | 'unknown'

/** The hosted checkout, in the button's language. */
const CHECKOUT = /\/checkout\/([^/?#]+)(?:\?locale=[a-z]{2})?$/

export function payButton(page: Page): Locator {
  return page.locator('kassa-pay button')
}

/** Goes from a page of the shop to the hosted checkout. Returns the payment's id. */
export async function openCheckout(page: Page, shop: Shop, path = '/element.html'): Promise<string> {
  await page.goto(shop.origin + path)
  await payButton(page).click()
  return arriveAtCheckout(page)
}

export async function arriveAtCheckout(page: Page): Promise<string> {
  await page.waitForURL(CHECKOUT)
  return CHECKOUT.exec(page.url())?.[1] ?? ''
}

/** Goes from the hosted checkout to the bank, chooses an outcome there, and follows the bank's redirect. */
export async function chooseAtBank(page: Page, outcome: Outcome): Promise<void> {
  await page.getByTestId('pay').click()
  await expect(page.getByTestId('bank')).toBeVisible()
  await page.locator(`button[name="outcome"][value="${outcome}"]`).click()
}

/** Checks the return address: it names the payment and the order, and never the status. */
export async function arriveAtThanks(page: Page, shop: Shop): Promise<URLSearchParams> {
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible()
  const { origin, pathname, searchParams } = new URL(page.url())
  expect(origin + pathname).toBe(`${shop.origin}/thanks`)
  expect([...searchParams.keys()].sort()).toEqual(['merchantOrderId', 'paymentId'])
  return searchParams
}

/** A buyer who has not paid stays on our page and may go back to the shop. */
export async function arriveUnpaid(page: Page, paymentId: string): Promise<void> {
  await expect(page.getByTestId('checkout')).toBeVisible()
  expect(new URL(page.url()).pathname).toBe(`/checkout/${paymentId}`)
  await expect(page.getByTestId('back')).toBeVisible()
}

/** Goes from the shop's page through the bank to the page where the buyer ends. Returns the payment's id. */
export async function buy(
  page: Page,
  shop: Shop,
  { outcome, path }: { outcome: Outcome; path?: string },
): Promise<string> {
  const paymentId = await openCheckout(page, shop, path)
  await chooseAtBank(page, outcome)
  if (outcome === 'paid') expect((await arriveAtThanks(page, shop)).get('paymentId')).toBe(paymentId)
  else await arriveUnpaid(page, paymentId)
  return paymentId
}

/** Returns a list that grows with every checkout request of the page, in order. */
export function watchCheckouts(page: Page): WidgetCheckoutRequest[] {
  const requests: WidgetCheckoutRequest[] = []
  page.on('request', (request: Request) => {
    if (request.method() !== 'POST' || !request.url().endsWith('/api/widget/checkout')) return
    requests.push(request.postDataJSON() as WidgetCheckoutRequest)
  })
  return requests
}

/** Returns a list that grows with every error in the console, including content policy violations and script errors. */
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
