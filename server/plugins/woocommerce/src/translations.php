<?php

/** The texts in other languages: `languages/hy.json` and `ru.json`, from the English text to the translated one. */

declare(strict_types=1);

namespace Kassa\WordPress;

function textsIn(string $language): array
{
    static $read = [];
    if (!isset($read[$language])) {
        $file = dirname(__DIR__) . "/languages/$language.json";
        $texts = preg_match('/^[a-z]{2,3}$/D', $language) && is_file($file) ? json_decode((string) file_get_contents($file), true) : null;
        $read[$language] = is_array($texts) ? $texts : [];
    }
    return $read[$language];
}

/** The language of this request, such as `hy` for `hy` and `ru` for `ru_RU`. */
function language(): string
{
    return strtolower(explode('_', determine_locale())[0]);
}

// A translation that somebody installed for the site goes first.
add_filter('gettext_kassa', function (string $translated, string $text): string {
    return $translated === $text ? (string) (textsIn(language())[$text] ?? $text) : $translated;
}, 10, 2);
