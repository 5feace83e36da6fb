<?php

/** Checks the settings before they are stored: their form, whether Kassa can be reached, and whether the token works. */

declare(strict_types=1);

namespace Kassa\WordPress;

use InvalidArgumentException;
use Kassa\Error;

use function Kassa\standardKey;

const HTTP_UNAUTHORIZED = 401;

/** `$given`: url, token and secret. Returns what is wrong, and what Kassa said of itself where nothing is. */
function checkSettings(array $given): array
{
    $wrong = array_values(array_filter([wrongUrl($given['url']), wrongToken($given['token']), wrongSecret($given['secret'])]));
    if ($wrong) {
        return ['wrong' => $wrong, 'capabilities' => null];
    }
    $asked = kassa(['url' => $given['url'], 'token' => $given['token'], 'tries' => 1])->capabilities();
    return $asked->ok
        ? ['wrong' => [], 'capabilities' => $asked->value]
        : ['wrong' => [explainError($asked->error)], 'capabilities' => null];
}

function wrongUrl(string $url): ?string
{
    try {
        kassa(['url' => $url, 'token' => 'any']);
        return null;
    } catch (InvalidArgumentException $wrong) {
        return __('The address of Kassa begins with https:// and has no path, such as https://pay.example.', 'kassa');
    }
}

function wrongToken(string $token): ?string
{
    return preg_match('/^ksk_(sandbox|live)_[0-9A-Za-z_]+$/D', $token)
        ? null
        : __('The token begins with ksk_live_ or ksk_sandbox_. Copy all of it.', 'kassa');
}

/** While a secret is being replaced there are two, with a space between them. */
function wrongSecret(string $secrets): ?string
{
    foreach (explode(' ', $secrets) as $secret) {
        if (strpos($secret, 'whsec_') !== 0 || standardKey($secret) === null) {
            return __('The callback secret begins with whsec_ and has 44 more characters. Copy all of it.', 'kassa');
        }
    }
    return null;
}

function explainError(Error $error): string
{
    if ($error->status === HTTP_UNAUTHORIZED) {
        return __('Kassa does not know this token. Copy it again, or ask whoever runs your Kassa for a new one.', 'kassa');
    }
    if ($error->code === 'no_answer' || $error->code === 'unexpected_answer') {
        /* translators: %s: what went wrong */
        return sprintf(__('There is no Kassa at this address: %s Check the address, and whether this server may connect to it.', 'kassa'), $error->message);
    }
    return "$error->message $error->whatToDo";
}
