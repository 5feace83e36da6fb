/** The page of a payment link: what a buyer sees in each state of its payment. */
import { describe, expect, test } from 'vitest'
import { createLink, linkRequest, lookUp, payAtBank, readPage } from '../../testing/calls.ts'
import { SHOP_ORIGIN } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'

const MINUTE_MS = 60_000

const { kassa, shop } = await openScene()

const newLink = (key: string, change: object = {}) =>
  createLink(kassa.url, shop, { key, body: linkRequest(change) })

describe('the page of a link', () => {
  const PAY = 'data-testid="pay"'
  const actionOf = (html: string) => /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? ''
  const hrefOf = (html: string, testId: string) =>
    new RegExp(`href="([^"]*)"[^>]*data-testid="${testId}"`).exec(html)?.[1] ?? ''

  test('leads straight on to the bank, and shows the paid payment afterwards', async () => {
    const { body } = await newLink('flow', { returnUrl: `${SHOP_ORIGIN}/thanks` })
    const page = await readPage(body.paymentUrl)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Mountain tea')
    expect(page.html).toContain('$19.00')
    expect(page.html.split(PAY)).toHaveLength(2)
    const returned = await payAtBank(actionOf(page.html), 'paid')
    expect(returned).toBe(
      `${SHOP_ORIGIN}/thanks?paymentId=${body.paymentId}&merchantOrderId=${body.payment.merchantOrderId}`,
    )
    expect((await lookUp(kassa.url, shop, body.paymentId)).body.status).toBe('paid')
    const paidPage = (await readPage(body.paymentUrl)).html
    expect(paidPage).toContain('data-status="paid"')
    expect(paidPage).not.toMatch(/data-testid="(pay|continue|qr)"|\/continue"/)
  })

  test.each([
    ['cancelled', 'cancelled'],
    ['unknown', 'status_unknown'],
    ['pending', 'pending_payment'],
  ])('does not ask for payment again after the bank’s answer "%s"', async (outcome, status) => {
    const { body } = await newLink(`page ${outcome}`)
    await payAtBank(`${body.checkoutUrl}/continue`, outcome)
    const { html } = await readPage(body.paymentUrl)
    expect(html).toContain(`data-status="${status}"`)
    expect(html).not.toContain(PAY)
    expect(html).not.toContain('data-testid="qr"')
  })

  test('offers another try after a declined one', async () => {
    const { body } = await newLink('page declined', { returnUrl: `${SHOP_ORIGIN}/thanks` })
    await payAtBank(`${body.checkoutUrl}/continue`, 'declined')
    const { html } = await readPage(body.paymentUrl)
    expect(html).toContain('Try again')
    expect(await payAtBank(actionOf(html), 'paid')).toContain(`paymentId=${body.paymentId}`)
    expect((await lookUp(kassa.url, shop, body.paymentId)).body.status).toBe('paid')
  })

  test('lets a buyer who left the bank’s page continue the same payment', async () => {
    const { body } = await newLink('page left')
    await fetch(`${body.checkoutUrl}/continue`, { method: 'POST' })
    const { html } = await readPage(body.paymentUrl)
    expect(html).not.toContain(PAY)
    expect(hrefOf(html, 'continue')).toBe(body.checkoutUrl)
  })

  test('says that the time to pay has passed once the link has expired, also on the manual route', async () => {
    const expiresAt = new Date(kassa.clock.now().getTime() + MINUTE_MS).toISOString()
    const links = [
      await newLink('page expired', { expiresAt }),
      await newLink('page expired by hand', { expiresAt, providerRoute: 'manual' }),
    ]
    kassa.clock.advance(MINUTE_MS)
    const pages = await Promise.all(links.map(({ body }) => readPage(body.paymentUrl)))
    expect(pages[0]?.html).toContain('The time to pay has passed')
    // A transfer may be on its way.
    expect(pages[1]?.html).toContain('The order is no longer kept for you')
    for (const { html } of pages) expect(html).not.toMatch(/data-testid="(pay|continue|qr)"/)
    expect((await lookUp(kassa.url, shop, links[0]?.body.paymentId)).body.status).toBe('expired')
  })

  test('keeps the language that the buyer chose', async () => {
    const { body } = await newLink('page language')
    const { html } = await readPage(`${body.paymentUrl}?locale=hy`)
    expect(html).toContain('<html lang="hy">')
    expect(actionOf(html)).toBe(`${body.checkoutUrl}/continue?locale=hy`)
  })

  test('returns 404 for an unknown or malformed link id', async () => {
    const { body } = await newLink('page id')
    for (const id of [body.paymentId, 'lnk_', `${body.linkId}0`, `lnk_${'0'.repeat(26)}`, '%00'])
      expect([id, (await readPage(`${kassa.url}/link/${id}`)).status]).toEqual([id, 404])
  })
})
