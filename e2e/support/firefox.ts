/**
 * Drives the distribution's Firefox with Puppeteer, over WebDriver BiDi. Playwright has a BiDi driver too, but it uses
 * commands that Debian's extended support releases (140, 153) lack.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HTTPRequest, KeyInput, Page } from 'puppeteer-core'

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]
const WITHIN_MS = 30_000
/** A page that the browser is leaving may never return a result. */
const EVALUATED_WITHIN_MS = 3_000

/**
 * Half of Firefox's CPU time goes into drawing a window that nobody sees: 60 frames a second, and an animation in the tab while a
 * page loads. It also starts processes ahead of their use.
 */
const PREFERENCES = {
  'layout.frame_rate': 10,
  'ui.prefersReducedMotion': 1,
  'dom.ipc.processPrelaunch.enabled': false,
}

export const findFirefox = (): string | undefined => PLACES.find((path) => existsSync(path))

export type Browser = {
  /** Opens a tab with its own session storage. */
  openTab(): Promise<Firefox>
  close(): Promise<void>
}

/** One tab. */
export type Firefox = {
  /** Loads a page and waits until it is complete. */
  open(url: string): Promise<void>
  /** Returns the value of an expression in the page, or of the promise that it gives. The value must be JSON. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Waits until the expression is truthy, across page loads. Returns its value. */
  until<Value>(expression: string): Promise<Value>
  /** Clicks the middle of the element that the expression finds. `first` is a key to press before the click. */
  press(expression: string, how?: { times?: number; first?: KeyInput }): Promise<void>
  type(key: KeyInput): Promise<void>
  back(): Promise<void>
  reload(): Promise<void>
  /** Makes the tab's requests to this address fail, or withholds their responses, until `mend` is called. */
  cut(url: string, where: 'request' | 'answer'): Promise<{ happened: Promise<void>; mend(): Promise<void> }>
  /** Lets the page open itself in a new tab. The browser copies the session storage, as for a duplicated tab. */
  duplicate(): Promise<Firefox>
  /** The errors in the console, of all pages of this tab. */
  readonly complaints: string[]
  close(): Promise<void>
}

export async function startFirefox(executablePath: string): Promise<Browser> {
  // Its own home folder: as root, Firefox refuses a folder that belongs to another user.
  const home = await mkdtemp(join(tmpdir(), 'kassa-firefox-'))
  const env = { ...process.env, HOME: home }
  // Only a worker that starts Firefox needs the package.
  const { default: puppeteer } = await import('puppeteer-core')
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    env,
    extraPrefsFirefox: PREFERENCES,
  })
  return {
    openTab: async () => driver(await browser.newPage()),
    async close() {
      await browser.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Implements `cut` of Firefox. */
async function cut(page: Page, url: string, where: 'request' | 'answer') {
  const { promise: happened, resolve } = Promise.withResolvers<void>()
  const listen = async (request: HTTPRequest) => {
    if (request.url() !== url) return request.continue()
    if (where === 'request') return request.abort().finally(resolve)
    if (request.method() === 'OPTIONS') return request.continue()
    // The service handles the request, but the page gets no response.
    await fetch(url, {
      method: request.method(),
      headers: request.headers(),
      body: (await request.fetchPostData()) ?? null,
    })
    resolve()
  }
  page.on('request', listen)
  await page.setRequestInterception(true)
  const mend = async () => {
    page.off('request', listen)
    await page.setRequestInterception(false)
  }
  return { happened, mend }
}

/** Evaluates expressions in the page. `until` repeats one until it is true. */
function expressionsOf(page: Page): Pick<Firefox, 'evaluate' | 'until'> {
  async function evaluate<Value>(expression: string): Promise<Value> {
    const late = sleep(EVALUATED_WITHIN_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${expression} got no response`)
    })
    const text = `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`
    return JSON.parse((await Promise.race([page.evaluate(text), late])) as string) as Value
  }
  async function until<Value>(expression: string): Promise<Value> {
    const deadline = performance.now() + WITHIN_MS
    let last: unknown
    while (performance.now() < deadline) {
      // The call fails while the browser leaves the page.
      last = await evaluate<Value>(expression).catch((error: unknown) => error)
      if (last && !(last instanceof Error)) return last as Value
      await sleep(50)
    }
    throw new Error(`${expression} did not become true at ${page.url()}: ${last}`)
  }
  return { evaluate, until }
}

function driver(page: Page): Firefox {
  page.setDefaultTimeout(WITHIN_MS)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const { evaluate, until } = expressionsOf(page)
  return {
    evaluate,
    until,
    async open(url) {
      await page.goto(url)
      await page.bringToFront()
    },
    async press(expression, { times = 1, first } = {}) {
      const { x, y } = await until<{ x: number; y: number }>(
        `(() => { const box = ${expression}?.getBoundingClientRect()
          return box?.width && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } })()`,
      )
      // An earlier click that Firefox failed half-way may have left the mouse button down. Then this click would press nothing. A reset
      // right after that click is lost, because the browser is still leaving the page.
      await page.mouse.reset()
      if (first) await page.keyboard.press(first)
      const click = page.mouse.click(x, y, { count: times })
      // After the key the browser may already be leaving the page. Firefox then fails a click on it with this error.
      await click.catch((error) => {
        if (!first || !/NS_ERROR_FAILURE/.test(String(error))) throw error
      })
    },
    type: (key) => page.keyboard.press(key),
    back: async () => void (await page.goBack({ waitUntil: [] })),
    reload: async () => void (await page.reload()),
    cut: (url, where) => cut(page, url, where),
    async duplicate() {
      const [twin] = await Promise.all([
        new Promise<Page | null>((resolve) => void page.once('popup', resolve)),
        evaluate('void setTimeout(() => open(location.href))'),
      ])
      if (!twin) throw new Error('No tab was opened.')
      await twin.bringToFront()
      return driver(twin)
    },
    complaints,
    close: () => page.close(),
  }
}
