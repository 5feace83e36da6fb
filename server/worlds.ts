/** Finds the right one among the contexts of the worlds that a deployment serves. */
import type { Context, Worlds } from './context.ts'
import { worldOfName } from './id.ts'

/** The context of the deployment's own world: the live one where it is served. */
export function mainWorld({ live, sandbox }: Worlds): Context {
  return live ?? sandbox
}

/** The worlds that are served, the live one first. */
export function listWorlds({ live, sandbox }: Worlds): Context[] {
  return live ? [live, sandbox] : [sandbox]
}

/** The context of the world that an id, an api key or a public key names; null where that world is not served. */
export function worldNamedBy(worlds: Worlds, name: string): Context | null {
  const world = worldOfName(name)
  return world === null ? mainWorld(worlds) : (worlds[world] ?? null)
}
