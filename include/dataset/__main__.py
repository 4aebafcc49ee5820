"""`python -m include.dataset`: print the data dictionary page."""

import sys

from include.dataset.dictionary import dictionary_markdown

if __name__ == "__main__":
    sys.stdout.write(dictionary_markdown())
