/** A person's browser without scripts: it keeps cookies and follows redirects on the shop's own site. */
import { Parser } from 'htmlparser2'

const HOPS_MAX = 8
const PATIENCE_MS = 60_000

export type Page = { url: string; status: number; text: string; headers: Headers }
export type Browser = {
  open(path: string, form?: Record<string, string>): Promise<Page>
  /** Calls the shop's own API as its scripts do. */
  call(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Page>
}

export function openBrowser(site: string): Browser {
  const cookies = new Map<string, string>()

  async function send(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0)
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await fetch(url, {
      ...init,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }
  const pageOf = async (url: string, answer: Response): Promise<Page> => ({
    url,
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  })

  return {
    async open(path, form) {
      let url = new URL(path, site).href
      let answer = await send(url, form ? { method: 'POST', body: new URLSearchParams(form) } : {})
      for (let hop = 0; hop < HOPS_MAX && answer.headers.has('location'); hop++) {
        await answer.body?.cancel()
        url = new URL(answer.headers.get('location') ?? '', url).href
        if (!url.startsWith(site)) break
        answer = await send(url, {})
      }
      return pageOf(url, answer)
    },
    async call(method, path, headers, body) {
      const url = new URL(path, site).href
      const json = { 'content-type': 'application/json' }
      const init =
        body === undefined
          ? { method, headers }
          : { method, headers: { ...json, ...headers }, body: JSON.stringify(body) }
      return pageOf(url, await send(url, init))
    },
  }
}

type Field = { name: string; value: string }

/** Returns what a browser would send if nothing in the form was changed, without its buttons. */
export function formOf({ url, text }: Page, id: string): Record<string, string> {
  const fields: Field[] = []
  let isInForm = false
  let select: (Field & { isChosen: boolean }) | null = null
  let area: Field | null = null
  const parser = new Parser({
    onopentag(tag, { id: own, name, value = '', type = 'text', ...rest }) {
      if (tag === 'form') isInForm = own === id
      if (!isInForm) return
      if (tag === 'option' && select && (!select.isChosen || 'selected' in rest))
        Object.assign(select, { value, isChosen: 'selected' in rest || select.isChosen })
      if (name === undefined) return
      if (tag === 'select') select = { name, value: '', isChosen: false }
      if (tag === 'textarea') area = { name, value: '' }
      const isSent = !['submit', 'button', 'image', 'file'].includes(type)
      const isChecked = !['checkbox', 'radio'].includes(type) || 'checked' in rest
      if (tag === 'input' && isSent && isChecked) fields.push({ name, value })
    },
    ontext(part) {
      if (area) area.value += part
    },
    onclosetag(tag) {
      if (tag === 'form') isInForm = false
      if (tag === 'select' && select) {
        fields.push(select)
        select = null
      }
      if (tag === 'textarea' && area) {
        fields.push(area)
        area = null
      }
    },
  })
  parser.end(text)
  if (fields.length === 0) throw new Error(`${url} has no form ${id}.`)
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

/** Returns the value of a hidden field of a page. */
export function fieldOf({ url, text }: Page, name: string): string {
  let found: string | undefined
  new Parser({
    onopentag(tag, attributes) {
      if (tag === 'input' && attributes.name === name) found ??= attributes.value
    },
  }).end(text)
  if (found === undefined) throw new Error(`${url} has no field ${name}.`)
  return found
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&#038;': '&',
  '&quot;': '"',
  '&#039;': "'",
  '&lt;': '<',
  '&gt;': '>',
}
/** Returns the text of what stands in a page as HTML. */
export const plain = (text: string) =>
  text.replaceAll(/&(?:amp|#038|quot|#039|lt|gt);/g, (entity) => ENTITIES[entity] ?? '')

/** Returns the text of the notices of an administrator's page. */
export function noticesOf({ text }: Page, kind: string): string[] {
  const found = text.matchAll(
    new RegExp(`<div[^>]*class="[^"]*\\b${kind}\\b[^"]*"[^>]*>([\\s\\S]*?)</div>`, 'g'),
  )
  return [...found]
    .map(([, inner = '']) =>
      plain(inner.replaceAll(/<[^>]*>/g, ' '))
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean)
}
