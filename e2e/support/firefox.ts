/**
 * A Firefox as the distribution ships it, spoken to in WebDriver BiDi. Playwright has a BiDi of its own, but asks for
 * commands that Debian's extended support release (140) does not have; the few that the specs need stand here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]
const WITHIN_MS = 15_000
/** A question to a page that is just going away may never be answered. */
const EVALUATED_WITHIN_MS = 3_000

export const findFirefox = (): string | undefined => PLACES.find((path) => existsSync(path))

export type Firefox = {
  /** Loads a page and waits until it is complete. */
  open(url: string): Promise<void>
  /** The value of an expression in the page, which may be a promise of one. Only plain data come back. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Waits until the expression is truthy, over page loads too; answers its value. */
  until<Value>(expression: string): Promise<Value>
  /** Presses the middle of the element that the expression finds, as a mouse does. */
  press(expression: string, times?: number): Promise<void>
  type(key: string): Promise<void>
  back(): Promise<void>
  /** What the console called an error, from all pages. */
  readonly complaints: string[]
  close(): Promise<void>
}

export async function startFirefox(path: string): Promise<Firefox> {
  // A home of its own: as root Firefox refuses one that is somebody else's.
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
    await session.send('session.subscribe', { events: ['log.entryAdded'] })
    const tree = (await session.send('browsingContext.getTree', {})) as { contexts: { context: string }[] }
    return { ...driver(session, tree.contexts[0]?.context ?? ''), complaints: session.complaints, close: end }
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

type Session = {
  send(method: string, params: object, withinMs?: number): Promise<unknown>
  complaints: string[]
}

async function connect(address: string): Promise<Session> {
  const socket = new WebSocket(address)
  await once(socket, 'open', { signal: AbortSignal.timeout(WITHIN_MS) })
  const complaints: string[] = []
  const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>()
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, type, result, error, message } = JSON.parse(String(data))
    if (method === 'log.entryAdded' && params.level === 'error') complaints.push(params.text)
    const caller = waiting.get(id)
    if (type === 'success') caller?.resolve(result)
    else caller?.reject(new Error(`${error}: ${message}`))
  })
  let count = 0
  const send = async (method: string, params: object, withinMs = WITHIN_MS) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++count
    waiting.set(id, { resolve, reject })
    const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), withinMs)
    socket.send(JSON.stringify({ id, method, params }))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }
  return { send, complaints }
}

function driver({ send }: Session, context: string): Omit<Firefox, 'complaints' | 'close'> {
  async function evaluate<Value>(expression: string): Promise<Value> {
    const params = { target: { context }, awaitPromise: true }
    // As text: the protocol's own form of values is more than the specs need.
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
      // The page may be going while it is asked.
      last = await evaluate<Value>(expression).catch((error: unknown) => error)
      if (last && !(last instanceof Error)) return last as Value
      await sleep(50)
    }
    throw new Error(`${expression} did not come true: ${last}`)
  }
  const act = (type: 'pointer' | 'key', actions: object[]) =>
    send('input.performActions', { context, actions: [{ id: type, type, actions }] })
  return {
    evaluate,
    until,
    async open(url) {
      // Not waited for here: where a page was still being loaded, its answer may never come.
      await send('browsingContext.navigate', { context, url, wait: 'none' })
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`)
      // Else the keys go to the browser's own bars.
      await send('browsingContext.activate', { context })
    },
    async press(expression, times = 1) {
      const { x, y } = await until<{ x: number; y: number }>(
        `(() => { const box = ${expression}?.getBoundingClientRect()
          return box?.width && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } })()`,
      )
      const click = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      const actions = [{ type: 'pointerMove', x, y }, ...Array.from({ length: times }, () => click).flat()]
      await act('pointer', actions)
    },
    type: async (value) =>
      void (await act('key', [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])),
    back: async () => void (await send('browsingContext.traverseHistory', { context, delta: -1 })),
  }
}
