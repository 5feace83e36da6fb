/**
 * axe finds nothing on any screen of the console, and every screen fits a phone. The screens are those of the console's own table.
 * Each is looked at in every language, in both modes and at two widths, side by side for each language and its colours.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from '@playwright/test'
import { watchComplaints } from './support/buyer.ts'
import {
  enter,
  openConsoleScene,
  originOf,
  setUpPassword,
  speak,
  typeCode,
  typePassword,
} from './support/console.ts'
import type { Kassa } from './support/kassa.ts'
import { SHOTS } from './support/look.ts'
import { layoutFaults, phoneFaults } from './support/narrow.ts'
import { showScreen } from './support/show-page.ts'
import { expect, test } from './support/stage.ts'

type Finding = { id: string; nodes: { html: string }[] }
declare const axe: { run(options: object): Promise<{ violations: Finding[] }> }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const LOCALES = ['hy', 'ru', 'en'] as const
const COLOURS = ['light', 'dark'] as const
const WIDTHS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const
type Width = keyof typeof WIDTHS
type Turn = { locale: (typeof LOCALES)[number]; colours: (typeof COLOURS)[number]; width: Width }

const TURNS: Turn[] = LOCALES.flatMap((locale) =>
  COLOURS.flatMap((colours) => (Object.keys(WIDTHS) as Width[]).map((width) => ({ locale, colours, width }))),
)
test.describe.configure({ mode: 'parallel' })

/** Looks at the page as it is now, whose language cannot be changed. */
async function lookNow(
  page: Page,
  name: string,
  { colours, width }: Pick<Turn, 'colours' | 'width'>,
): Promise<string[]> {
  await page.setViewportSize(WIDTHS[width])
  await page.emulateMedia({ colorScheme: colours })
  const violations = await page.evaluate(async () => {
    for (const each of document.getAnimations()) each.finish()
    // No rule in use needs the style sheets that axe would fetch, nor the selectors of nodes.
    return (await axe.run({ resultTypes: ['violations'], selectors: false, preload: false })).violations
  })
  const found = violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colours}-${width}.png`, fullPage: true })
  await page.setViewportSize(WIDTHS.phone)
  found.push(...(await layoutFaults(page)).map((fault) => `${fault}, at 360 px`))
  found.push(...(await phoneFaults(page)))
  return found.map((fault) => `${name}, ${colours}, ${width}: ${fault}`)
}

const nameOf = (path: string) => path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start'

for (const locale of LOCALES)
  for (const colours of COLOURS)
    test(
      `axe finds nothing on any screen of the console, and each fits a phone: ${locale}, ${colours}`,
      {
        tag: '@long',
      },
      ({ kassa, browser }) =>
        lookAtScreens(
          { kassa, browser },
          TURNS.filter((turn) => turn.locale === locale && turn.colours === colours),
        ),
    )

type At = { kassa: Kassa; browser: Browser }

async function lookAtScreens({ kassa, browser }: At, turns: Turn[]): Promise<void> {
  const { pages, sessions, merchantId } = await openConsoleScene(kassa)
  const context = await browser.newContext()
  await context.addInitScript(AXE)
  await enter(context, kassa, sessions.administrator)
  const page = await context.newPage()
  const complaints = await watchComplaints(page)
  const origin = originOf(kassa)
  const refused = [
    { path: 'not found', address: '/sandbox/nowhere' },
    { path: 'a day that is none', address: '/sandbox/audit?day=nonsense' },
    { path: 'found nothing', address: '/sandbox/payments?q=zzzz' },
    { path: 'by month', address: '/sandbox/totals?by=month' },
    { path: 'counter found', address: '/sandbox/counter?q=19.00' },
    { path: 'orders packed', address: `/sandbox/shops/${merchantId}/orders?way=packed` },
  ]
  const faults: string[] = []
  // A file is not a screen.
  const shown = pages.filter(({ path }) => !path.endsWith('.csv'))
  const screens = [...shown, ...refused]
  for (const [index, { path, address }] of screens.entries())
    for (const turn of turns) {
      await speak(context, kassa, turn.locale)
      const { status, locale } = await showScreen(page, origin + address)
      const name = `${nameOf(path)}-${turn.locale}`
      if (status >= 500 || (address === shown[index]?.address && status !== 200))
        faults.push(`${name}: ${status}`)
      expect(locale).toBe(turn.locale)
      faults.push(...(await lookNow(page, name, turn)))
    }
  // What a role may not do is refused by a page as well.
  await enter(context, kassa, sessions.cashier)
  for (const turn of turns) {
    await speak(context, kassa, turn.locale)
    expect((await showScreen(page, `${origin}/sandbox/users`)).status).toBe(403)
    faults.push(...(await lookNow(page, `forbidden-${turn.locale}`, turn)))
  }
  await context.close()
  expect(pages.length).toBeGreaterThan(40)
  expect(faults).toEqual([])
  // Such as a style or a script that the content policy refuses. The browser also writes the status of a refusal to its console.
  expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
}

test('axe finds nothing on the ways in, and on what forms say', { tag: '@long' }, async ({
  kassa,
  operator,
  browser,
}) => {
  const { sessions, pages } = await openConsoleScene(kassa)
  const origin = originOf(kassa)
  const email = 'ways@pay.example'
  const { link } = await operator.run<{ link: string }>(
    ...['user', 'add', '--name', 'Ways', '--role', 'administrator', '--email', email],
  )
  const context = await browser.newContext()
  await context.addInitScript(AXE)
  const page = await context.newPage()
  const faults: string[] = []
  const seen = async (name: string) => {
    for (const turn of TURNS) faults.push(...(await lookNow(page, name, turn)))
  }

  for (const [locale, path] of [
    ['hy', new URL(link).pathname],
    ['ru', '/sign-in'],
    ['hy', '/link/none'],
  ] as const) {
    await speak(context, kassa, locale)
    await page.goto(origin + path)
    await seen(`${nameOf(path).slice(0, 8)}-${locale}`)
  }
  await speak(context, kassa, 'en')
  await page.goto(origin + new URL(link).pathname)
  await seen('link')
  await page.getByLabel('Password').fill('short')
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await seen('link-422')
  const app = await setUpPassword(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keep these codes')
  await seen('recovery-codes')
  await context.clearCookies()
  await page.goto(`${origin}/sign-in`)
  await seen('sign-in')
  await typePassword(page, email)
  await expect(page).toHaveURL(/sign-in\/code/)
  await seen('sign-in-code')
  await typeCode(page, '000000')
  await expect(page.getByRole('alert')).toBeVisible()
  await seen('sign-in-code-422')
  await typeCode(page, app.nextCode())
  await page.waitForURL('**/sandbox/today')

  // An administrator shows once more who it is before another person gets in.
  await page.goto(`${origin}/sandbox/users/new`)
  await page.getByLabel('Name').fill('Somebody new')
  await page.getByLabel('E-mail address').fill('new@pay.example')
  for (const code of await page.getByLabel('Code', { exact: true }).all()) await code.fill('000000')
  await page.getByRole('button', { name: /^Add/ }).click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  await seen('again')

  // The second forms of acts, and what is refused.
  await enter(context, kassa, sessions.administrator)
  const refund = pages.find(({ path }) => path.endsWith('/refund'))?.address ?? ''
  await page.goto(origin + refund)
  await page.getByLabel('Amount in').fill('1000000')
  await page.getByLabel('Why').fill('broken')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await seen('refund-422')
  await page.getByLabel('Amount in').fill('1.00')
  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Return this money?')
  await seen('refund-sure')
  await context.close()
  expect(faults).toEqual([])
})
