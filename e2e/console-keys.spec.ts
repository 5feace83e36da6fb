/** The console with a keyboard alone and without a script: a link for a buyer, a refund, what a second person agrees to, a statement. */
import type { Browser, Locator, Page } from '@playwright/test'
import { chooseAtBank } from './support/buyer.ts'
import { enter, openConsoleScene, originOf } from './support/console.ts'
import type { Kassa } from './support/kassa.ts'
import { expect, test } from './support/stage.ts'

const TABS_MAX = 80

/** Presses Tab until the element has a visible focus that no bar covers. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    await page.keyboard.press('Tab')
    if (!(await target.evaluate((element) => element.matches(':focus-visible')))) continue
    const isSeen = await target.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
    })
    expect(isSeen, `${target} is not covered`).toBe(true)
    return
  }
  throw new Error(`${target} did not get the focus after ${TABS_MAX} presses of Tab.`)
}

/** A person with a keyboard and without a script, who is signed in. */
async function openKeyboard(browser: Browser, kassa: Kassa, session: string) {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
  })
  await enter(context, kassa, session)
  const page = await context.newPage()
  return {
    page,
    async type(label: string, text: string) {
      await tabTo(page, page.getByLabel(label))
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    async press(target: Locator) {
      await tabTo(page, target)
      await page.keyboard.press('Enter')
    },
    close: () => context.close(),
  }
}

test('whoever has no mouse and no script makes a link, returns money, agrees to a proposal and reads a statement', {
  tag: '@long',
}, async ({ kassa, page, browser }) => {
  const { sessions, pages, merchantId } = await openConsoleScene(kassa)
  const origin = originOf(kassa)
  const keyboard = await openKeyboard(browser, kassa, sessions.administrator)
  const { page: desk, type, press } = keyboard

  await desk.goto(`${origin}/sandbox/shops/${merchantId}/link`)
  await type('Amount', '12,50')
  await tabTo(desk, desk.getByLabel('Currency'))
  await desk.keyboard.type('USD')
  await type('What is it for?', 'Two cups of tea')
  await desk.keyboard.press('Enter')
  await expect(desk.locator('.verdict h2')).toHaveText('Not paid yet')
  await page.goto((await desk.locator('.scan a').getAttribute('href')) ?? '')
  await chooseAtBank(page, 'paid')

  await expect(async () => {
    await desk.goto(`${origin}/sandbox/today`)
    await type('Find a payment', '12.50 today')
    await desk.keyboard.press('Enter')
    // Real time: one of many tries.
    await expect(desk.locator('.payments .row')).toContainText('Two cups of tea', { timeout: 1_000 })
  }).toPass()
  await press(desk.locator('.payments .row'))
  await press(desk.getByRole('link', { name: 'Return money' }))
  await type('Amount in', '2.50')
  await type('Why', 'a crack')
  await desk.keyboard.press('Enter')
  await expect(desk.getByRole('heading', { level: 1 })).toHaveText('Return this money?')
  await press(desk.getByRole('button', { name: 'Go back and change it' }))
  await expect(desk.getByLabel('Why')).toHaveValue('a crack')
  await press(desk.getByRole('button', { name: 'Next' }))
  await press(desk.getByRole('button', { name: /^Return/ }))
  await expect(desk.getByRole('status')).toContainText('The refund was requested')

  const proposal = pages.find(({ path }) => path === '/:world/approvals/:approval')?.address ?? ''
  await desk.goto(`${origin}/sandbox/approvals`)
  await press(desk.locator(`a[href="${proposal}"]`))
  await press(desk.getByRole('button', { name: 'Grant it' }))
  await expect(desk.getByRole('status')).toContainText('Granted, and done.')

  const statements = pages.find(({ path }) => path === '/:world/statements/:account')?.address ?? ''
  const lines = ['id,Date,Sum,Currency,Type,Reference', `a,${new Date().toISOString()},7.00,USD,in,nobody`]
  const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) }
  await desk.goto(origin + statements)
  await tabTo(desk, desk.getByLabel('The statement'))
  await desk.getByLabel('The statement').setInputFiles(file)
  await press(desk.getByRole('button', { name: 'Look at the file' }))
  await expect(desk.getByRole('heading', { level: 2 }).first()).toBeVisible()
  await keyboard.close()
})
