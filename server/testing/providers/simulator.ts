/** What simulated providers share: the agenda of what one does on its own, and the frame of its pages, which work without scripts. */
export type Agenda = { at: Date; act(): void }[]

export function plan(agenda: Agenda, now: Date, afterMs: number, act: () => void): void {
  agenda.push({ at: new Date(now.getTime() + afterMs), act })
}

/** Does everything that is due, in order, including what becomes due by it. */
export function runDue(agenda: Agenda, now: () => Date): void {
  for (;;) {
    const [next] = agenda.toSorted((one, other) => one.at.getTime() - other.at.getTime())
    if (!next || next.at > now()) return
    agenda.splice(agenda.indexOf(next), 1)
    next.act()
  }
}

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** `body`: markup, with its texts escaped already. */
export const frame = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;background:#f6f8fa;color:#1a1f36;margin:0}
main{max-width:26rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #d8dee4;border-radius:8px}
button{display:block;width:100%;padding:.6rem;margin:.4rem 0;font:inherit;text-align:left;border:1px solid #a3acb9;border-radius:6px;background:#fff}
[role=alert]{color:#a41c4e}h1{font-size:1.3rem;margin:0}p{margin:.5rem 0}
</style></head><body><main>${body}</main></body></html>`
