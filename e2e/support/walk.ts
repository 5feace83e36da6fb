/**
 * A live deployment for one test, and a diary of who does what on which device, with its taps and seconds. The seconds are those of
 * a machine: a person also reads, types and looks for the right button.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page } from '@playwright/test'
import { COMPILE_CACHE } from './kassa.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/walk-main.ts', import.meta.url))

export type Mail = { to: string[]; subject: string; text: string; html: string }
export type Deployment = Awaited<ReturnType<typeof startDeployment>>

export async function startDeployment() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-walk-'))
  // The embedded PostgreSQL may run as another user, who needs access to this folder.
  await chmod(dataDir, 0o755)
  const child = spawn(process.execPath, [ENTRY], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The deployment has ended.')
    return JSON.parse(value)
  }
  const { proxy, stripe } = (await read()) as { proxy: string; stripe: Record<string, string> }
  /** Runs a command with `--json`. @throws Error with what it printed */
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
  const run = async (...words: string[]): Promise<any> => {
    child.stdin.write(`${JSON.stringify([...words, '--json'])}\n`)
    const { code, stdout, stderr } = await read()
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
  return {
    proxy,
    stripe,
    run,
    mails: () => run('mailbox') as Promise<Mail[]>,
    /** Returns the first mail to this address whose subject matches. */
    async mailTo(address: string, subject: RegExp): Promise<Mail> {
      let found: Mail | undefined
      const look = async () => {
        const all = (await run('mailbox')) as Mail[]
        found = all.find((mail) => mail.to.includes(address) && subject.test(mail.subject))
        return found ? 'arrived' : all.map((mail) => `${mail.to}: ${mail.subject}`)
      }
      await expect.poll(look, { timeout: 20_000 }).toBe('arrived')
      return found as Mail
    },
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

type Who = 'operator' | 'owner' | 'buyer'
export type Step = {
  who: Who
  device: string
  what: string
  commands: number
  taps: number
  fields: number
  chars: number
  ms: number
}

export class Diary {
  readonly steps: Step[] = []
  readonly #run: Deployment['run']

  constructor({ run }: Pick<Deployment, 'run'>) {
    this.#run = run
  }

  async step<Result>(who: Who, device: string, what: string, act: () => Promise<Result>): Promise<Result> {
    const started = performance.now()
    const step = { who, device, what, commands: 0, taps: 0, fields: 0, chars: 0, ms: 0 }
    this.steps.push(step)
    const result = await act()
    step.ms = performance.now() - started
    return result
  }

  /** One command, which the operator types on a computer. */
  run(...words: string[]) {
    this.#now.commands++
    return this.#run(...words)
  }

  async tap(target: Locator): Promise<void> {
    this.#now.taps++
    await target.click()
  }

  /** A tap on something outside the page, such as a link in a mail. */
  async open(page: Page, address: string): Promise<void> {
    this.#now.taps++
    await page.goto(address)
  }

  /** Counts as a tap. */
  async press(page: Page, key: string): Promise<void> {
    this.#now.taps++
    await page.keyboard.press(key)
  }

  async type(field: Locator, text: string): Promise<void> {
    this.#now.fields++
    this.#now.chars += text.length
    await field.fill(text)
  }

  get #now(): Step {
    const step = this.steps.at(-1)
    if (!step) throw new Error('No step has begun.')
    return step
  }

  /** Returns the table in Markdown. */
  table(): string {
    const rows = this.steps.map(({ who, device, what, commands, taps, fields, ms }) =>
      [who, device, what, commands, taps, fields, (ms / 1000).toFixed(1)].join(' | '),
    )
    const heads = ['Who', 'On what', 'Does what', 'Commands', 'Taps', 'Fields', 'Seconds']
    return [heads.join(' | '), heads.map(() => '---').join(' | '), ...rows]
      .map((row) => `| ${row} |`)
      .join('\n')
  }

  /**
   * Returns how many minutes of tapping and typing the steps of one person take, by the keystroke-level model of Card, Moran and
   * Newell: 1.35 s to think and 1.1 s to reach the place before each tap and field, and 0.2 s to press. A character on a phone takes
   * 0.33 s (36 words a minute, Palin and others, 2019).
   */
  minutesOf(who: Who): number {
    const own = this.steps.filter((step) => step.who === who)
    const seconds = own.map(({ taps, fields, chars }) => (taps + fields) * (1.35 + 1.1 + 0.2) + chars * 0.33)
    return seconds.reduce((sum, each) => sum + each, 0) / 60
  }
}

const ROW = /^\| (operator|owner|buyer) \| ([^|]+) \| ([^|]+) \| (\d*) ?\| (\d*) ?\| (\d*) ?\| [\d.]+ \|$/gm
const ONLY = /^(by bank transfer|with Stripe): /

/** Returns the rows of the guide's table that are about one way to pay, as the diary has them. `only`: how its own rows begin. */
export function stepsOfGuide(guide: string, only: 'by bank transfer' | 'with Stripe'): (string | number)[][] {
  const rows = [...guide.matchAll(ROW)].map(([, ...cells]) => cells.map((each = '') => each.trim()))
  return rows
    .filter(([, , what = '']) => [undefined, only].includes(ONLY.exec(what)?.[1] as typeof only | undefined))
    .map(([who = '', device = '', what = '', ...counts]) => [
      who,
      device,
      what.replace(ONLY, ''),
      ...counts.map(Number),
    ])
}
