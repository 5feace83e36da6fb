/**
 * The texts of a button in its language. They come with the snippet, in the attribute `texts`, so usually nothing more is asked for.
 * Without it the payment server has them in a file. If the file does not load, the button stays in English and still works.
 */
import { type Signal, signal } from '@preact/signals'
import type { WidgetConfig } from './config.ts'
import { ENGLISH, type Messages } from './messages.ts'
import { unpolluted } from './unpolluted.ts'

/** For so long the button waits for its texts before it shows itself in English. Texts that come later replace those. */
const WAIT_MS = 1_000
const NAMES = Object.keys(ENGLISH) as (keyof Messages)[]
const files = new Map<string, Signal<Messages | undefined>>()

/** Asks for the texts if the script and the snippet do not have them. */
export function loadTexts(config: WidgetConfig): void {
  const address = addressOf(config)
  if (!address || files.has(address)) return
  const texts = signal<Messages>()
  files.set(address, texts)
  const set = (value: Messages) =>
    unpolluted(() => {
      texts.value = value
    })
  setTimeout(() => texts.peek() || set(ENGLISH), WAIT_MS)
  // Without a prototype: a page may have put a `mode` or a `cache` on Object.prototype.
  const options = { __proto__: null, credentials: 'omit' } as RequestInit
  Promise.resolve()
    .then(() => fetch(address, options))
    .then((response) => response.json())
    .catch(() => null)
    .then((data) => set(complete((name) => data?.[name]) ?? ENGLISH))
}

/** Returns undefined while the texts are on their way. */
export function textsOf(config: WidgetConfig): Messages | undefined {
  const address = addressOf(config)
  return address ? files.get(address)?.value : (given(config) ?? ENGLISH)
}

function addressOf(config: WidgetConfig): string | undefined {
  const { apiOrigin, locale } = config
  return locale === 'en' || given(config) ? undefined : `${apiOrigin}/widget/v1/${locale}.json`
}

/** Reads `hy|...|...`: a language, and its texts in the order of ENGLISH. */
function given({ texts, locale }: WidgetConfig): Messages | undefined {
  const [language, ...list] = texts?.split('|') ?? []
  return language === locale ? complete((_, index) => list[index]) : undefined
}

function complete(read: (name: keyof Messages, index: number) => unknown): Messages | undefined {
  const list = NAMES.map((name, index) => [name, read(name, index)])
  return list.every(([, text]) => text && typeof text === 'string') ? Object.fromEntries(list) : undefined
}
