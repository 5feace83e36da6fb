import type { Page } from '@playwright/test'
import { arriveAtCheckout, payButton, watchCheckouts, watchComplaints } from './support/buyer.ts'
import { KINDS, type Kind, NAMES, pollutedPage } from './support/polluted-page.ts'
import { expect, test } from './support/stage.ts'

/** What the browser made of the button. Read from the test's own world, as an `evaluate` would be polluted too. */
const drawn = (page: Page) => page.locator('kassa-pay div').first().innerHTML()

for (const kind of Object.keys(KINDS) as Kind[])
  test(`a page that puts names on every object (${kind}) has the same button and sends the same request`, async ({
    page,
    shop,
    kassa,
  }) => {
    shop.pages.set('/clean.html', pollutedPage([], kind))
    await page.goto(`${shop.origin}/clean.html`)
    const clean = await drawn(page)
    expect(clean).toContain('$15.00')
    const complaints = await watchComplaints(page)
    const asked = watchCheckouts(page)
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    for (const [reader, names] of Object.entries(NAMES)) {
      // Where single letters are locked no minified library gets as far as its first method.
      if (reader === 'minified' && kind === 'locked') continue
      shop.pages.set('/polluted.html', pollutedPage(names, kind))
      await page.goto(`${shop.origin}/polluted.html`)
      await expect(payButton(page), `${reader}: ${complaints.join()}`).toHaveCount(2)
      expect([reader, await drawn(page)]).toEqual([reader, clean])
      await payButton(page).first().click()
      await arriveAtCheckout(page)
    }
    expect(complaints).toEqual([])
    expect([...hosts].sort()).toEqual([shop.origin, new URL(kassa.url).origin].sort())
    const { publicKey } = shop.account
    for (const body of asked)
      expect(body).toEqual({
        publicKey,
        productId: 'tea',
        clientReference: expect.stringMatching(/^[a-p]{32}$/),
      })
    expect(new Set(asked.map(({ clientReference }) => clientReference)).size).toBe(1)
  })
