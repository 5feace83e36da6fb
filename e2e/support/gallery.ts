/** Serves every hosted page in every state. The small server stops together with the process that opened it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './kassa.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/pages/gallery-main.ts', import.meta.url))

export type Gallery = {
  names: string[]
  locales: string[]
  addressOf(name: string, locale: string): string
  close(): Promise<void>
}

export async function openGallery(): Promise<Gallery> {
  const child = spawn(process.execPath, [ENTRY], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  const listed = (await (await fetch(`${url}/gallery`)).json()) as Pick<Gallery, 'names' | 'locales'>
  return {
    ...listed,
    addressOf: (name, locale) => `${url}/gallery/${name}?${new URLSearchParams({ locale })}`,
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
