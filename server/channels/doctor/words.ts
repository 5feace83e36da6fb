/**
 * The findings of the installation doctor in English, for the command line and the install page. The keys are also those of the
 * install page's other languages. `{name}` stands for a value of the finding.
 */
export const DIAGNOSIS_EN = {
  revoked: 'The installation is revoked: its public key is rejected on every page.',
  originRegistered: '"{origin}" is registered exactly like this.',
  originUnknown: '"{origin}" is not registered.',
  originClosest: 'The closest registered origin is "{closest}". It differs:',
  differsScheme: 'the scheme is {page}, but {known} is registered',
  differsWww: '{page} and {known} are two different origins, one with www and one without',
  differsHost: 'the host is {page}, but {known} is registered',
  differsPort: 'the port is {page}, but {known} is registered',
  originsAll: 'All registered origins: {origins}.',
  spelledNull:
    'A page sends the origin "null" if it was opened from a file or is in a sandboxed frame. This origin can never be registered.',
  spelledNotWeb: '"{given}" is not the origin of a web page.',
  spelledOtherwise: 'A browser never sends "{given}" as an origin. It sends "{sent}".',
  becauseScheme: 'the scheme is missing',
  becauseSpaces: 'there are spaces around it',
  becauseUser: 'it contains a user name',
  becauseUpperCase: 'it has upper-case letters',
  becausePort: 'it names the default port',
  becauseAscii: 'its host is not in ASCII',
  becauseSlash: 'it ends with a slash',
  becausePath: 'it has a path after the host',
  adviceServe: 'Serve the page from a web server, and not in a sandboxed frame.',
  adviceWrite: 'Write the scheme and the host, such as https://shop.example',
  adviceAskAgain: 'The page itself is fine. Check it again with the spelling that the browser sends.',
  adviceRevoked: 'Create a new installation, and put its public key into the page.',
  adviceTwin:
    'Serve the page from {twin}. Or, if this origin belongs to the merchant too, have it allowed for this key.',
  adviceAllow:
    'If the page belongs to the merchant, have its origin allowed for this key. Within a second the key works there.',
  mixedContent:
    'The page uses https and this server, {server}, does not, so browsers load nothing from it. Ask the operator to put the server on https.',
  pageUnencrypted:
    'The page is not encrypted, so anyone on the network path can change where its button leads. Use https:// except in tests.',
  policyUnreadable:
    "This is not a content security policy, because it has no directive that a browser knows. Paste the whole value of the header, as the browser's network tab shows it.",
  policyScriptFine: 'Policy {number}: {directive} allows the script.',
  policyScriptBlocked: 'Policy {number}: {directive} blocks the script. Add {source} to script-src.',
  policyScriptElem:
    'Policy {number}: {directive} blocks the script. Add {source} to script-src-elem, which replaces script-src.',
  policyStrictDynamic:
    "Policy {number}: {directive} has 'strict-dynamic', so browsers ignore its addresses. Put the page's nonce on the script tag: nonce=\"...\".",
  policyNonce:
    "Policy {number}: {directive} allows scripts with a nonce. Put the page's nonce on the script tag, or add {source}.",
  policyConnectFine: 'Policy {number}: {directive} allows the requests of the button.',
  policyConnectBlocked:
    'Policy {number}: {directive} blocks the requests of the button. Add {source} to connect-src.',
  policyTypesFine: 'Policy {number}: Trusted Types do not stop a script tag that is written in the page.',
  policyTypesInserted:
    'Policy {number}: Trusted Types stop code that inserts the script tag, as the React and Vue snippets do. Write the tag into the page itself.',
  policyStyle:
    'Policy {number}: {directive} blocks a <style> element. The button works without it. Put its colours into your own style sheet.',
  policySandbox:
    'Policy {number}: sandbox needs both allow-scripts and allow-same-origin. Without them the button cannot run, or it sends the origin "null".',
  policyUnset: 'Policy {number}: it has no {directive}, so it blocks nothing here.',
  returnMissing:
    'The installation has no return URL, so the page must set one: return-url="/thanks", with a page of your own.',
  returnDefault: 'Buyers return to {url} unless the page sets another address.',
  returnFine: 'Buyers return to {url}.',
  returnBroken:
    '"{given}" is not a valid address. Write the whole address, such as https://shop.example/thanks',
  returnNotWeb: 'A return URL must begin with https:// or be relative to the page.',
  returnUser: 'A return URL must not contain a user name or a password. Remove them.',
  returnLong: 'A return URL can have at most {max} characters. Use a shorter one.',
  returnForeign:
    'The return URL is on {origin}, which is not one of the origins of this key. Use a page of the site itself, or have that origin allowed too.',
  returnHttp: 'The return URL is not encrypted. Use https:// except in tests.',
  snippetFine: 'The snippet has the right key, a product that is for sale, and the script of this server.',
  snippetCut: 'Only the first {max} characters were read. Paste only the tag of the button and its script.',
  snippetSecret:
    'It contains a secret (ksk_... or whsec_...), which everybody who opens the page can read. Remove it, and ask the operator to revoke it now. A page needs only the public key (kpk_...).',
  snippetEscaped:
    'It was pasted as text, and the page shows the tags instead of a button. Paste it into a field for HTML code.',
  snippetNone: 'There is no pay button in it. Copy a whole snippet from this page.',
  snippetQuotes:
    'It has curly quotes, which text editors insert, instead of straight ones ("). Copy it again, directly into a field for code.',
  snippetLacks: '{name} is missing. Copy the snippet again.',
  snippetKey:
    'Its key is {given}, and the key of this page is {publicKey}. The other key may be revoked. Use the key of this page.',
  snippetProduct:
    'The product "{given}" is not for sale. For sale: {products}. Use one of them, or ask the operator to put it on sale again.',
  snippetNoScript: 'Nothing in it loads the script. Add: <script async src="{script}"></script>',
  snippetModule:
    'As a module the script does not know its own address. Remove type="module", or give the button endpoint="..." with the address of this server.',
  snippetHead:
    'A button cannot show in <head>. If the tag is there, move it to the place of the button, or add data-target="#pay" and an element with id="pay".',
  snippetServer: 'It uses {given}, but this key is known only at {server}. Use the snippet of this page.',
  snippetHash:
    'Its hash does not fit version {given}, so browsers reject the script. Copy address and hash together: those of version {version} from this page, or those of another version from {versions}',
  snippetOlder:
    'It pins version {given}, and the current version is {version}. It continues to work if its hash is the one in {versions}',
  snippetHashMoving:
    'A hash on the moving address stops the button when the next version is released. Pin a version, or remove the hash.',
  snippetCrossOrigin:
    'A tag with a hash needs crossorigin="anonymous", or browsers reject the script. Add it.',
} as const

export type FindingKey = keyof typeof DIAGNOSIS_EN
/** `bad` stops the button, `note` does not. */
export type Finding = { weight: 'good' | 'bad' | 'note'; key: FindingKey; values: Record<string, string> }

const finding =
  (weight: Finding['weight']) =>
  (key: FindingKey, values: Record<string, string> = {}): Finding => ({ weight, key, values })
export const good = finding('good')
export const bad = finding('bad')
export const note = finding('note')

/** Returns the finding as a sentence. `messages`: the sentences of a language. */
export function wordFinding(
  { key, values }: Pick<Finding, 'key' | 'values'>,
  messages: Record<FindingKey, string> = DIAGNOSIS_EN,
): string {
  return messages[key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
