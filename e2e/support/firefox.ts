/**
 * Drives the distribution's Firefox with WebDriver BiDi. Playwright has a BiDi driver too, but it uses commands that
 * Debian's extended support release (140) lacks. This file has the few commands that the tests need.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Happening, type Session } from './bidi.ts'

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]
const WITHIN_MS = 30_000
/** A page that is being left may never return a result. */
const EVALUATED_WITHIN_MS = 3_000

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
  press(expression: string, how?: { times?: number; first?: string }): Promise<void>
  type(key: string): Promise<void>
  back(): Promise<void>
  reload(): Promise<void>
  /** Makes the tab's requests to this address fail, or withholds their responses, until `mend` is called. */
  cut(url: string, where: Cut): Promise<{ happened: Promise<void>; mend(): Promise<void> }>
  /** Lets the page open itself in a new tab. The browser copies the session storage, as for a duplicated tab. */
  duplicate(): Promise<Firefox>
  /** The errors in the console, of all pages of this tab. */
  readonly complaints: string[]
  close(): Promise<void>
}

type Cut = 'request' | 'answer'
const PHASES = { request: 'beforeRequestSent', answer: 'responseStarted' } as const

export async function startFirefox(path: string): Promise<Browser> {
  // Its own home folder: as root, Firefox refuses a folder that belongs to another user.
  const home = await mkdtemp(join(tmpdir(), 'kassa-firefox-'))
  const args = ['--headless', '--remote-debugging-port=0', '--profile', home]
  const child = spawn(path, args, {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const end = async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const session = await connect(`${await addressOf(child.stderr)}/session`)
    await session.send('session.new', { capabilities: {} })
    const network = Object.values(PHASES).map((phase) => `network.${phase}`)
    await session.send('session.subscribe', { events: ['log.entryAdded', ...network] })
    return {
      async openTab() {
        const tab = (await session.send('browsingContext.create', { type: 'tab' })) as { context: string }
        return driver(session, tab.context)
      },
      close: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  const signal = AbortSignal.timeout(WITHIN_MS)
  for (;;) {
    const [, address] = /listening on (ws:\S+)/.exec(text) ?? []
    if (address) return address
    text += (await once(output, 'data', { signal })).join('')
  }
}

/** Implements `cut` of Firefox. */
async function cut({ send, listeners }: Session, context: string, url: string, where: Cut) {
  const { promise: happened, resolve } = Promise.withResolvers<void>()
  const phase = PHASES[where]
  const listen = ({ method, params }: Happening) => {
    if (method !== `network.${phase}` || params.context !== context || !params.isBlocked) return
    const { request, method: verb } = params.request ?? { request: '', method: '' }
    if (where === 'request') void send('network.failRequest', { request }).finally(resolve)
    // The preflight gets its response. The request itself stays blocked.
    else if (verb === 'OPTIONS') void send('network.continueResponse', { request })
    else resolve()
  }
  listeners.add(listen)
  const { intercept } = (await send('network.addIntercept', {
    contexts: [context],
    phases: [phase],
    urlPatterns: [{ type: 'string', pattern: url }],
  })) as { intercept: string }
  const mend = async () => {
    listeners.delete(listen)
    await send('network.removeIntercept', { intercept })
  }
  return { happened, mend }
}

function driver(session: Session, context: string): Firefox {
  const { send, listeners } = session
  const complaints: string[] = []
  const complain = ({ method, params: { level, text, source } }: Happening) => {
    if (method === 'log.entryAdded' && level === 'error' && source?.context === context)
      complaints.push(text ?? '')
  }
  listeners.add(complain)
  async function evaluate<Value>(expression: string): Promise<Value> {
    const params = { target: { context }, awaitPromise: true }
    // As JSON text, which is simpler than the protocol's own format for values.
    const asked = `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`
    const answer = await send('script.evaluate', { ...params, expression: asked }, EVALUATED_WITHIN_MS)
    const { type, result, exceptionDetails } = answer as {
      type: string
      result?: { value: string }
      exceptionDetails?: { text: string }
    }
    if (type !== 'success' || !result) throw new Error(exceptionDetails?.text)
    return JSON.parse(result.value) as Value
  }
  async function until<Value>(expression: string): Promise<Value> {
    const deadline = performance.now() + WITHIN_MS
    let last: unknown
    while (performance.now() < deadline) {
      // The call fails if the page is just being left.
      last = await evaluate<Value>(expression).catch((error: unknown) => error)
      if (last && !(last instanceof Error)) return last as Value
      await sleep(50)
    }
    throw new Error(`${expression} did not become true: ${last}`)
  }
  const act = (sources: Record<string, object[]>) =>
    send('input.performActions', {
      context,
      actions: Object.entries(sources).map(([type, actions]) => ({ id: type, type, actions })),
    })
  return {
    evaluate,
    until,
    async open(url) {
      // Do not wait for the command itself: it may never return if a page was still loading.
      await send('browsingContext.navigate', { context, url, wait: 'none' })
      // With the prototype's getter, because a page may have a form with this name.
      const state = "Reflect.get(Document.prototype, 'readyState', document)"
      await until(`location.href === ${JSON.stringify(url)} && ${state} === 'complete'`)
      // Without this, keys go to the browser's toolbar.
      await send('browsingContext.activate', { context })
    },
    async press(expression, { times = 1, first } = {}) {
      const { x, y } = await until<{ x: number; y: number }>(
        `(() => { const box = ${expression}?.getBoundingClientRect()
          return box?.width && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } })()`,
      )
      const click = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      const clicks = [{ type: 'pointerMove', x, y }, ...Array.from({ length: times }, () => click).flat()]
      // Both sources run in steps side by side, so the pointer pauses while the key is pressed.
      const keys = first === undefined ? [] : stroke(first)
      await act({ key: keys, pointer: [...keys.map(() => ({ type: 'pause' })), ...clicks] })
    },
    type: async (value) => void (await act({ key: stroke(value) })),
    back: async () => void (await send('browsingContext.traverseHistory', { context, delta: -1 })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
    cut: (url, where) => cut(session, context, url, where),
    async duplicate() {
      const opened = Promise.withResolvers<string>()
      // Firefox 153 also reports the tabs that are already open, so the opener identifies the new one.
      const listen = ({ method, params }: Happening) => {
        if (method === 'browsingContext.contextCreated' && params.originalOpener === context)
          opened.resolve(params.context ?? '')
      }
      listeners.add(listen)
      await send('session.subscribe', { events: ['browsingContext.contextCreated'] })
      await evaluate('void setTimeout(() => open(location.href))')
      const twin = await opened.promise
      listeners.delete(listen)
      return driver(session, twin)
    },
    complaints,
    async close() {
      listeners.delete(complain)
      await send('browsingContext.close', { context })
    },
  }
}

const stroke = (value: string) => [
  { type: 'keyDown', value },
  { type: 'keyUp', value },
]
