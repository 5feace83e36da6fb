/**
 * The receiver kits: programs that merchants copy to receive our events. Each runs as it is. A merchant fills in its first
 * file. The reference shows all its files, and the same bytes can be downloaded.
 */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { KitFile } from '../../http/docs/built.ts'
import { html, type Markup } from '../../pages/html.ts'
import { codeBlock, prose } from './prose.ts'

const MEDIA_TYPES: Record<string, string> = {
  '.mjs': 'text/javascript',
  '.py': 'text/x-python',
  '.php': 'text/x-php',
}

export type KitText = KitFile & { text: string }
export type Kit = { label: string; needs: string; files: KitText[] }

function kitFile(file: string): KitText {
  const text = readFileSync(new URL(`kits/${file}`, import.meta.url), 'utf8')
  return {
    path: `/docs/kits/${file}`,
    file,
    mediaType: MEDIA_TYPES[extname(file)] ?? 'text/plain',
    text,
  }
}

const kit = (label: string, needs: string, ...files: string[]): Kit => ({
  label,
  needs,
  files: files.map(kitFile),
})

export const KITS: readonly Kit[] = [
  kit('Node', 'Node 22.13 or newer', 'kassa-receiver-node.mjs', 'kassa-core.mjs'),
  kit('Express', 'Node 22.13 and Express 4, or newer', 'kassa-receiver-express.mjs', 'kassa-core.mjs'),
  kit('Python', 'Python 3.9 or newer', 'kassa_receiver.py', 'kassa_core.py'),
  kit('Flask', 'Python 3.9 and Flask 2.2, or newer', 'kassa_receiver_flask.py', 'kassa_core.py'),
  kit('FastAPI', 'Python 3.9 and FastAPI 0.92, or newer', 'kassa_receiver_fastapi.py', 'kassa_core.py'),
  kit(
    'Django',
    'Django 3.2 or newer',
    'django/models.py',
    'kassa_core.py',
    'django/views.py',
    'django/kassa_work.py',
  ),
  kit('PHP', 'PHP 8.1 or newer with PDO and SQLite', 'kassa-receiver.php', 'KassaCore.php'),
  kit(
    'Laravel',
    'PHP 8.1 and Laravel 8, or newer',
    'laravel/KassaServiceProvider.php',
    'KassaCore.php',
    'laravel/2026_01_01_000000_create_kassa_tables.php',
  ),
]

/** Each file once: the kits of one language share their core. */
export const KIT_FILES: readonly KitText[] = [
  ...new Map(KITS.flatMap(({ files }) => files.map((each) => [each.file, each]))).values(),
]

/** The topic about them. */
export const receiverKits = (): Markup => html`
  <p>${prose('A kit is a program to copy and fill in. It checks the signature and its age, stores the event and answers quickly. Then it decides what to do with the order, once, in one transaction of a database. Two processes, a crash, a repeated event or a late one change nothing about that. When your shop cannot handle a payment, the kit tries again by itself.')}</p>
  <p>${prose('Copy the files of your kit. You write two functions in the first file, and change nothing in its core. `findOrder` gets the payment and returns what you ask for it: your order’s amount, or your price for the product that the button sold. `addTask` writes down what your shop has to do: `DELIVER`, `ASK A PERSON` or `NOTE`.')}</p>
  <p>${prose('The kits keep their tables in SQLite, or in the database of your Django or Laravel project. A comment beside the tables says what to change for PostgreSQL and MySQL.')}</p>
  ${KITS.map(
    ({ label, needs, files }) => html`<details class="kit">
      <summary>${label}</summary>
      <p>${`It needs ${needs}.`}</p>
      ${files.map(
        ({ path, file, text }) => html`<p><a href=${path} download>${`Download ${basename(file)}`}</a></p>
          ${codeBlock(text, basename(file))}`,
      )}
    </details>`,
  )}
  <p>${prose('A payment is decided by its newest state. If a part was refunded before your shop could deliver, a person is asked. A payment that was refunded in full before that is noted and never delivered. If two payments pay one order, the first is delivered, and a person is asked about the second.')}</p>
  <p>${prose('Start your receiver, then ask whoever runs your payment service to verify it. They send it a good event, a forged one, a stale one, a changed one and a repeated one, and tell you what your receiver did with each.')}</p>
  <p>${prose('On a laptop that the service cannot reach, they can forward every new event to it, signed as always, and send missed events again.')} <a href="/docs/receiving-events">The guide on receiving events</a> has the steps.</p>`
