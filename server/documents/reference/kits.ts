/**
 * The files that merchants copy: the client of each language, and the receiver kits, which are a page of a few lines for each framework
 * on top of them. Each runs as it is. The same bytes that the reference shows can be downloaded.
 */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { KitFile } from '../../http/docs/built.ts'
import { html, type Markup } from '../../pages/html.ts'
import { codeBlock, prose } from './prose.ts'

const MEDIA_TYPES: Record<string, string> = {
  '.mjs': 'text/javascript',
  '.mts': 'text/x-typescript',
  '.py': 'text/x-python',
  '.php': 'text/x-php',
}

export type KitText = KitFile & { text: string }
/** `files`: the page for the framework, the shop's own function, and what is copied as it is. */
export type Kit = { label: string; needs: string; files: KitText[] }

function kitFile(file: string): KitText {
  const text = readFileSync(new URL(`../../clients/${file}`, import.meta.url), 'utf8')
  return {
    path: `/docs/clients/${file}`,
    file,
    mediaType: MEDIA_TYPES[extname(file)] ?? 'text/plain',
    text,
  }
}

const FILES_OF = {
  mjs: ['node/kassa-receiver.mjs', 'node/kassa.mjs'],
  py: ['python/kassa_receiver.py', 'python/kassa.py'],
  php: ['php/KassaReceiver.php', 'php/Kassa.php'],
}

const kit = (label: string, needs: string, language: keyof typeof FILES_OF, page: string): Kit => ({
  label,
  needs,
  files: [page, `orders.${language}`]
    .map((file) => `pages/${file}`)
    .concat(FILES_OF[language])
    .map(kitFile),
})

export const KITS: readonly Kit[] = [
  kit('Node', 'Node 22.13 or newer', 'mjs', 'receive.mjs'),
  kit('Express', 'Node 22.13 and Express 4, or newer', 'mjs', 'receive-express.mjs'),
  kit('Python', 'Python 3.9 or newer', 'py', 'receive.py'),
  kit('Flask', 'Python 3.9 and Flask 2.2, or newer', 'py', 'receive_flask.py'),
  kit('FastAPI', 'Python 3.9 and FastAPI 0.92, or newer', 'py', 'receive_fastapi.py'),
  kit('Django', 'Python 3.9 and Django 3.2, or newer', 'py', 'receive_django.py'),
  kit('PHP', 'PHP 7.4 or newer with PDO and SQLite', 'php', 'receive.php'),
  kit('Laravel', 'PHP 7.4 and Laravel 8, or newer', 'php', 'KassaServiceProvider.php'),
]

/** All files of the kits, each once, because the kits of one language share their client. Also the types of the client for Node. */
export const KIT_FILES: readonly KitText[] = [
  ...new Map(KITS.flatMap(({ files }) => files).map((each) => [each.file, each])).values(),
  ...['kassa.d.mts', 'kassa-api.d.mts', 'kassa-receiver.d.mts'].map((file) => kitFile(`node/${file}`)),
]

const download = ({ path, file }: KitText): Markup => html`<a href=${path} download>${basename(file)}</a> `

/** The topic about the kits. */
export const receiverKits = (): Markup => html`
  <p>${prose('A kit is a page of a few lines on top of the client. The receiver checks the signature and its age, stores the event and answers quickly. Then it decides what to do with the order, once, in one transaction of a database. Two processes, a crash, a repeated event or a late one change nothing about that. When your shop cannot handle a payment, the receiver tries again by itself.')}</p>
  <p>${prose('You write one function: `findOrder` gets the payment and returns what you ask for it, your order’s amount, or your price for the product that the button sold. What your shop has to do is then a row of `kassa_tasks`: `DELIVER`, `ASK A PERSON` or `NOTE`. To write it elsewhere in the same transaction, give `addTask`.')}</p>
  <p>${prose('The receivers keep their tables in SQLite. The one for PHP also takes a PDO of your own database. A comment beside the tables says what to change for PostgreSQL and MySQL.')}</p>
  ${KITS.map(
    ({ label, needs, files: [page, orders, ...rest] }) => html`<details class="kit">
      <summary>${label}</summary>
      <p>${`It needs ${needs}. Download `}${[page, orders, ...rest].map((file) => file && download(file))}</p>
      ${[page, orders].map((file) => file && codeBlock(file.text, basename(file.file)))}
    </details>`,
  )}
  <p>${prose('A payment is decided by its newest state. If a part was refunded before your shop could deliver, a person is asked. A payment that was refunded in full before that is noted and never delivered. If two payments pay one order, the first is delivered, and a person is asked about the second.')}</p>
  <p>${prose('Start your receiver, then ask whoever runs your payment service to verify it. They send it a good event, a forged one, a stale one, a changed one and a repeated one, and tell you what your receiver did with each.')}</p>
  <p>${prose('On a laptop that the service cannot reach, they can forward every new event to it, signed as always, and send missed events again.')} <a href="/docs/receiving-events">The guide on receiving events</a> has the steps.</p>`
