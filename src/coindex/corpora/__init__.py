"""Files and folders of documents: read and written, paired as key and response, counted over."""
