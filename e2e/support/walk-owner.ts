/** What the owner of the shop does on a phone of 360 x 740, in the console. Each function is one step of the diary, or a part of one. */
import { type Browser, expect, type Locator, type Page } from '@playwright/test'
import { addAuthenticator } from './console.ts'
import { readPicture } from './printed.ts'
import type { Deployment, Diary } from './walk.ts'

const PHONE = { width: 360, height: 740 }
const CONSOLE = 'https://desk.example'

export async function openPhone(
  browser: Browser,
  { proxy }: Deployment,
  javaScriptEnabled = true,
): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled,
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
    proxy: { server: proxy },
  })
  // Without a screen that window never closes, and the browser ignores all taps meanwhile.
  await context.addInitScript(() => {
    window.print = () => void document.documentElement.setAttribute('data-printed', 'yes')
  })
  return context.newPage()
}

export class Owner {
  readonly #diary: Diary
  readonly phone: Page

  constructor(diary: Diary, phone: Page) {
    this.#diary = diary
    this.phone = phone
  }

  step<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
    return this.#diary.step('owner', 'phone', what, act)
  }

  tap(target: Locator): Promise<void> {
    return this.#diary.tap(target)
  }

  press(name: string | RegExp): Promise<void> {
    return this.tap(this.phone.getByRole('button', { name }))
  }

  follow(name: string | RegExp): Promise<void> {
    return this.tap(this.phone.getByRole('link', { name }))
  }

  write(label: string, text: string): Promise<void> {
    return this.#diary.type(this.phone.getByLabel(label), text)
  }

  sees(text: string | RegExp): Promise<void> {
    return expect(this.phone.getByRole('status')).toContainText(text)
  }

  /** The icon on the home screen. */
  openConsole(): Promise<void> {
    return this.#diary.open(this.phone, CONSOLE)
  }

  /** The link of a mail or of a message. */
  openLink(address: string): Promise<void> {
    return this.#diary.open(this.phone, address)
  }

  /** The link at the end of a page that leads back. */
  back(to: string): Promise<void> {
    return this.follow(new RegExp(`^← ${to}`))
  }

  async menu(...names: string[]): Promise<void> {
    await this.tap(this.phone.getByText('Menu', { exact: true }))
    for (const name of names) await this.follow(name)
  }

  /** The page calls the window of the phone in which a printer is chosen. */
  async print(): Promise<void> {
    await this.press('Print')
    await expect(this.phone.locator('html')).toHaveAttribute('data-printed', 'yes')
  }

  async signIn(link: string): Promise<void> {
    await addAuthenticator(this.phone)
    await this.openLink(link)
    await this.press('Use a passkey')
    await this.phone.waitForURL('**/live/today')
  }

  /** Returns the address that a scanner reads from the poster. */
  async makePoster(): Promise<string> {
    await this.menu('My shop', 'Site and public page')
    await this.press('Make the links and posters')
    await this.sees('You can share links and print posters now.')
    await this.menu('My shop', 'Link, QR code and poster')
    await this.follow('Make a poster')
    const code = this.phone.getByTestId('poster-page').locator('svg.qr-code')
    const { text } = await readPicture(await code.screenshot({ scale: 'css' }))
    await this.print()
    return text ?? 'A scanner reads nothing.'
  }

  /** The first form shows what will happen, and the second one does it. */
  async decide(fields: Record<string, string>, last: RegExp): Promise<void> {
    for (const [label, text] of Object.entries(fields)) await this.write(label, text)
    await this.press('Next')
    await this.press(last)
  }
}
