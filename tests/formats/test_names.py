"""Names of files and XML attributes made of whatever ids there are."""

from coindex.formats.xml import file_name, xml_attributes, xml_name


def test_file_names_stay_in_their_folder():
    assert file_name("1_10ecbplus", "doc1") == "1_10ecbplus"
    assert file_name("../a\\b\x00c", "doc1") == "_._a_b_c"
    assert file_name(None, "doc1") == file_name("", "doc1") == "doc1"
    assert file_name("\ud800x", "doc1") == "_x"


def test_long_file_names_are_cut_and_stay_distinct():
    names = {file_name("ä" * 300 + end, "doc1") for end in "ab"}
    assert len(names) == 2
    assert all(len(name.encode()) < 200 for name in names)


def test_xml_names():
    assert xml_name("np_form") == "np_form"
    assert xml_name("1 ü-x") == "_1__-x"
    assert xml_name("") == "_"


def test_xml_attributes_never_come_twice():
    made = xml_attributes({"a b": "1", "a.b": "<2>", "id": '"', "a_b": "\x00"}, reserved=["id"])
    assert made == ' a_b="1" a.b="&lt;2&gt;" id_=\'"\' a_b_="\ufffd"'
