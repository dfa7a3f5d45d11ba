"""Files and folders of documents: read, write, resolve, pair as key and response, and count."""
